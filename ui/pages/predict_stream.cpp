// SPDX-License-Identifier: GPL-3.0-or-later
// A trace, or sessions whose prompts grow: their working set is what it is, so the cliff is drawn over the GPU cache.
#include <QLabel>
#include <QVBoxLayout>
#include <cmath>

#include "model/capacity.h"
#include "ui/bridge/document.h"
#include "ui/charts/cliff_chart.h"
#include "ui/pages/predict_fields.h"
#include "ui/pages/predict_page.h"
#include "ui/theme/numbers.h"
#include "ui/widgets/card.h"
#include "ui/widgets/segments.h"

namespace kvcliff::ui {

void PredictPage::update_stream() {
  const PredictionState& s = prediction_.state();
  const bool trace = document().plan().workload.kind == workload::Spec::Kind::trace;
  for (QVBoxLayout* rows : {revisit_rows_, edges_rows_}) clear_layout(rows);
  QString title, detail, result;
  const char* color = "text3";
  if (!s.stream) {
    title = trace ? tr("Reading the trace.") : tr("Building the sessions.");
    chart_->set_histogram({}, {});
    trace_note_->clear();
  } else {
    const cache::CapacityCurve& curve = s.stream->curve;
    const bool tier = tier_->current() == 0;
    const std::int64_t gpu = s.config.gpu_blocks, host = tier ? s.config.host_chunks * s.config.blocks_per_chunk : 0;
    const cache::CurvePoint at = curve.at(gpu, host), everything = curve.at(s.stream->distinct + 1, 0);
    const double n = double(std::max<std::int64_t>(1, curve.prompt_tokens()));
    const double most = double(everything.gpu_hit) / n;
    detail = tr("Of %1 prompt tokens %2 are hit on the GPU, %3 loaded from the host, %4 computed. No cache could serve more than %5.")
                 .arg(exact(curve.prompt_tokens()), share_percent(double(at.gpu_hit) / n), share_percent(double(at.host_loaded) / n),
                      share_percent(std::max(0.0, 1 - double(at.gpu_hit + at.host_loaded) / n)), share_percent(most));
    if (everything.gpu_hit == 0) {
      title = tr("Nothing is asked twice: no cache can help.");
      result = tr("no reuse");
    } else if (double(at.gpu_hit) >= 0.999 * double(everything.gpu_hit)) {
      title = tr("All reuse fits the GPU cache: the tier cannot help.");
      result = tr("fits GPU");
      color = "gpu_hit_text";
    } else if (host <= 0) {
      title = tr("Part of the reuse does not fit the GPU cache, and there is no host tier.");
      result = tr("no tier");
      color = "computed_text";
    } else if (host <= gpu) {
      title = tr("Host tier not larger than the GPU cache: it gives nothing.");
      result = tr("gives nothing");
      color = "computed_text";
    } else if (at.host_loaded > 0) {
      title = double(at.gpu_hit + at.host_loaded) >= 0.999 * double(everything.gpu_hit) ? tr("The host tier serves all reuse that the GPU cache loses.")
                                                                                          : tr("The host tier serves part of the reuse that the GPU cache loses.");
      result = tr("tier serves %1").arg(share_percent(double(at.host_loaded) / n));
      color = "host_loaded_text";
    } else {
      title = tr("What the GPU cache loses, the tier has lost too.");
      result = tr("gives nothing");
      color = "computed_text";
    }
    QStringList notes{tr("%1 requests, %2 distinct blocks").arg(exact(curve.requests()), exact(s.stream->distinct))};
    for (const QString& note : s.stream->notes) notes << note;
    trace_note_->setText(notes.join(QStringLiteral(". ")) + QLatin1Char('.'));

    revisit_cell_->set_title(tr("All %1 requests").arg(exact(curve.requests())));
    const auto row = [&](QVBoxLayout* rows, const QString& name, std::int64_t value, const QString& unit) { rows->addLayout(value_row(theme(), name, exact(value), unit)); };
    row(revisit_rows_, tr("GPU hit"), at.gpu_hit, tr("tokens"));
    row(revisit_rows_, tr("host loaded"), at.host_loaded, tr("tokens"));
    row(revisit_rows_, tr("computed"), at.computed, tr("tokens"));
    if (s.layout) row(revisit_rows_, tr("moved"), at.host_loaded * s.layout->bytes_per_token_all_ranks, tr("bytes"));
    edges_cell_->set_title(tr("What there is to reuse"));
    row(edges_rows_, tr("prompt tokens"), curve.prompt_tokens(), tr("tokens"));
    row(edges_rows_, tr("reused at most"), everything.gpu_hit, tr("tokens"));
    row(edges_rows_, tr("distinct"), s.stream->distinct, tr("blocks"));
    if (const double bytes = double(block_bytes()); bytes > 0) edges_rows_->addLayout(value_row(theme(), tr("all of them"), gib(qint64(double(s.stream->distinct) * bytes)), tr("GiB")));

    for (QVBoxLayout* rows : {revisit_rows_, edges_rows_}) align_units(rows);

    const auto& counts = curve.revisits();
    std::vector<DistanceBin> bins;
    std::int64_t total = 0;
    const std::int64_t width = std::max<std::int64_t>(1, std::int64_t(chart_->shape().max_blocks / 160));
    for (std::size_t d = 0; d < counts.size(); ++d) {
      if (counts[d] == 0) continue;
      total += counts[d];
      const std::int64_t from = std::int64_t(d) / width * width + 1;
      if (bins.empty() || bins.back().from != from) bins.push_back({from, from + width - 1, 0});
      bins.back().count += counts[d];
    }
    chart_->set_histogram(std::move(bins), tr("%1 block revisits").arg(exact(total)));
  }
  update_times();
  sentence_->setText(title);
  sentence_detail_->setText(detail);
  sentence_bar_->setStyleSheet(QStringLiteral("background: %1; border: 0; border-radius: 2px;").arg(theme().color(color).name()));
  rule_note_->setText(s.exact || !s.stream ? QString() : tr("GPU side exact; host side as an LRU by the book would give, whatever the version's rule"));
  emit result_changed(result, color);
}

}  // namespace kvcliff::ui
