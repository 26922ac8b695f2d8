// SPDX-License-Identifier: GPL-3.0-or-later
// The report as PDF, painted page by page: text stays text, charts stay vectors.
#include <QPdfWriter>
#include <QTextLayout>

#include "base/printable.h"
#include "report/report.h"
#include "ui/charts/ecdf_chart.h"
#include "ui/charts/pairs_chart.h"
#include "ui/charts/scatter_chart.h"
#include "ui/charts/split_chart.h"
#include "ui/export/report_export.h"
#include "ui/models/evidence_estimates.h"
#include "ui/models/ledger_model.h"
#include "ui/models/matrix_model.h"
#include "ui/theme/numbers.h"
#include "reconcile/check_table.h"

namespace kvcliff::ui {
namespace {

constexpr double page_width = 794, page_height = 1123, margin = 52;  // A4 at 96 dpi

// Paper that is written from top to bottom; turns the page when what comes next does not fit.
class Paper {
 public:
  Paper(QPdfWriter& writer, QCPPainter& p, const Theme& theme, QString foot) : writer_(writer), p_(p), theme_(theme), foot_(std::move(foot)) { begin(); }

  void need(double height) {
    if (y_ + height <= page_height - margin - 16) return;
    writer_.newPage();
    begin();
  }
  void space(double height) { y_ += height; }

  void text(const QString& words, const QFont& font, const char* color = "text", double left = 0, double width = page_width - 2 * margin) {
    const QFontMetricsF m(font);
    for (const QString& line : lines_of(words, font, width)) {
      need(m.lineSpacing());
      p_.setFont(font);
      p_.setPen(theme_.color(color));
      p_.drawText(QPointF(margin + left, y_ + m.ascent()), line);
      y_ += m.lineSpacing();
    }
  }

  void heading(const QString& words) {
    space(14);
    need(60);
    text(words, theme_.font(TextSize::CardTitle));
    space(4);
  }

  // Columns with their shares of the width; numbers right.
  void table(const QStringList& head, const QVector<QStringList>& rows, const std::vector<double>& shares, const std::vector<bool>& numbers,
             const std::function<const char*(int)>& tone = {}) {
    const QFont font = theme_.font(TextSize::Caption);
    QFont bold = font;
    bold.setWeight(QFont::DemiBold);
    const QFontMetricsF m(font);
    const double width = page_width - 2 * margin, height = m.lineSpacing();
    constexpr std::size_t kept_together = 6;  // lines of a row; a longer one may go on on the next page
    const auto line = [&](const QStringList& cells, const QFont& f, const char* color) {
      // Every cell wraps, none is cut: this is the only copy that some readers have. The tallest decides.
      std::vector<QStringList> wrapped;
      std::size_t tallest = 1;
      for (int c = 0; c < cells.size(); ++c) {
        wrapped.push_back(lines_of(cells[c], f, width * shares[std::size_t(c)] - 6));
        tallest = std::max(tallest, std::size_t(wrapped.back().size()));
      }
      need(double(std::min(tallest, kept_together)) * height + 5);
      y_ += 2;
      for (std::size_t k = 0; k < tallest; ++k) {
        need(height + 3);
        p_.setFont(f);
        p_.setPen(theme_.color(color));
        double x = margin;
        for (std::size_t c = 0; c < wrapped.size(); ++c) {
          const QRectF box(x, y_, width * shares[c] - 6, height);
          x += width * shares[c];
          if (k >= std::size_t(wrapped[c].size())) continue;
          const QString& words = wrapped[c][int(k)];
          if (numbers[c]) draw_number(p_, box, Qt::AlignRight | Qt::AlignVCenter, words);
          else p_.drawText(QPointF(box.left(), box.top() + m.ascent()), words);
        }
        y_ += height;
      }
      y_ += 3;
      p_.setPen(QPen(theme_.color("line"), 0.75));
      p_.drawLine(QPointF(margin, y_), QPointF(page_width - margin, y_));
    };
    line(head, bold, "text2");
    for (int r = 0; r < rows.size(); ++r) line(rows[r], font, tone ? tone(r) : "text");
  }

  void chart(Plot& plot, double height, const QString& title) {
    space(10);
    need(height + 24);
    text(title, theme_.font(TextSize::CardTitle));
    plot.paint_on(p_, QRectF(margin - 6, y_, page_width - 2 * margin + 12, height));
    y_ += height;
  }

 private:
  /// Broken at words, and inside one that is longer than a line.
  static QStringList lines_of(const QString& words, const QFont& font, double width) {
    QTextLayout layout(words, font);
    QTextOption option;
    option.setWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
    layout.setTextOption(option);
    layout.beginLayout();
    QStringList out;
    for (QTextLine line = layout.createLine(); line.isValid(); line = layout.createLine()) {
      line.setLineWidth(width);
      out << words.mid(line.textStart(), line.textLength()).trimmed();
    }
    layout.endLayout();
    return out;
  }

  void begin() {
    ++page_;
    y_ = margin;
    p_.setFont(theme_.font(TextSize::Caption));
    p_.setPen(theme_.color("text3"));
    const QRectF foot(margin, page_height - margin + 6, page_width - 2 * margin, 16);
    const QString number = QString::number(page_);
    p_.drawText(foot, Qt::AlignLeft | Qt::TextSingleLine, QFontMetricsF(p_.font()).elidedText(foot_, Qt::ElideRight, foot.width() - 30));
    p_.drawText(foot, Qt::AlignRight | Qt::TextSingleLine, number);
  }

  QPdfWriter& writer_;
  QCPPainter& p_;
  const Theme& theme_;
  QString foot_;
  double y_ = margin;
  int page_ = 0;
};

QString text_of(const std::string& s) { return QString::fromStdString(printable(s)); }

void write_tables(Paper& paper, const Judged& j) {
  paper.heading(QObject::tr("Estimates"));
  QVector<QStringList> rows;
  for (const auto& r : estimate_rows(j)) rows.append({r[0].text, r[1].text, r[2].text, r[3].text});
  paper.table({QObject::tr("quantity"), QObject::tr("estimate"), QObject::tr("95 % interval"), QObject::tr("basis")}, rows, {0.24, 0.14, 0.18, 0.44}, {false, true, true, false});
  const auto advice = report::advice_tables(j.input);
  const auto advise = [&](const QString& title, const std::vector<std::vector<std::string>>& cells, const std::string& why, const std::vector<double>& shares,
                          const std::vector<bool>& numbers) {
    paper.heading(title);
    if (cells.empty()) return paper.text(text_of(why), Theme().font(TextSize::Chart), "text2");
    QVector<QStringList> out;
    for (const auto& r : cells) {
      out.append(QStringList());
      for (const auto& c : r) out.back() << text_of(c);
    }
    paper.table(out.takeFirst(), out, shares, numbers);
  };
  advise(QObject::tr("Host tier for a target share of revisits"), advice.sizing, advice.sizing_why, {0.34, 0.2, 0.2}, {false, true, true});
  advise(QObject::tr("Why was there no reuse"), advice.no_reuse, advice.no_reuse_why, {0.09, 0.11, 0.08, 0.11, 0.13, 0.26, 0.22},
         {false, false, true, true, false, false, false});
  paper.heading(QObject::tr("Checks"));
  rows.clear();
  std::vector<bool> failed;
  for (const auto& t : j.evaluation.reconciliation.totals) {
    const auto* info = reconcile::find_check(t.id);
    rows.append({text_of(t.id), exact(t.pass), exact(t.fail), exact(t.not_possible), exact(t.not_settled), exact(t.not_applicable), info ? text_of(std::string(info->title)) : QString()});
    failed.push_back(t.fail > 0 || t.not_settled > 0);
  }
  paper.table({QObject::tr("check"), QObject::tr("pass"), QObject::tr("fail"), QObject::tr("not possible"), QObject::tr("not settled"), QObject::tr("n/a"), QObject::tr("what")}, rows,
              {0.07, 0.08, 0.08, 0.12, 0.12, 0.08, 0.45}, {false, true, true, true, true, true, false}, [&](int r) { return failed[std::size_t(r)] ? "fail" : "text"; });
  paper.heading(QObject::tr("Ledger of the experiment"));
  LedgerModel ledger;
  ledger.set_lines(j.evaluation.reconciliation.ledger);
  rows.clear();
  for (int r = 0; r < ledger.rowCount(); ++r) {
    const auto at = [&](int c) { return ledger.index(r, c).data().toString(); };
    rows.append({at(LedgerModel::Quantity), at(LedgerModel::Expected), at(LedgerModel::Measured), at(LedgerModel::Unexplained), at(LedgerModel::Explained)});
  }
  paper.table({QObject::tr("quantity"), QObject::tr("expected"), QObject::tr("measured"), QObject::tr("unexplained"), QObject::tr("explained by")}, rows, {0.34, 0.15, 0.15, 0.13, 0.23},
              {false, true, true, true, false}, [&](int r) { return ledger.line(r).unexplained.value_or(0) != 0 ? "fail" : "text"; });
  paper.heading(QObject::tr("Gates"));
  rows.clear();
  for (const auto& g : j.evaluation.decision.gates) rows.append({text_of(g.id), state_words(g.state), text_of(g.why)});
  paper.table({QObject::tr("gate"), QObject::tr("state"), QObject::tr("why")}, rows, {0.14, 0.16, 0.70}, {false, false, false}, [&](int r) {
    const auto s = j.evaluation.decision.gates[std::size_t(r)].state;
    return s == CheckState::fail || s == CheckState::not_settled ? "fail" : "text";
  });
  paper.heading(QObject::tr("Sessions"));
  rows.clear();
  for (const auto& s : j.input.sessions) {
    QString command;
    for (const auto& a : s.record.argv) command += (command.isEmpty() ? QString() : QStringLiteral(" ")) + text_of(a);
    rows.append({QString::number(s.record.ordinal + 1), text_of(s.record.arm), text_of(s.record.effective.engine_version), command});
  }
  paper.table({QObject::tr("session"), QObject::tr("arm"), QObject::tr("engine"), QObject::tr("command")}, rows, {0.09, 0.14, 0.17, 0.60}, {false, false, false, false});
  paper.heading(QObject::tr("Numbers and where they come from"));
  rows.clear();
  for (const auto& f : report::facts(j.input, j.evaluation)) rows.append({text_of(f.name), text_of(f.value), text_of(f.source)});
  paper.table({QObject::tr("number"), QObject::tr("value"), QObject::tr("source")}, rows, {0.28, 0.24, 0.48}, {false, false, false});
}

}  // namespace

Result<QString> write_report_pdf(const Judged& j, const QString& path) {
  const Theme theme;  // never applied to the window: paper is light
  QPdfWriter writer(path);
  writer.setResolution(96);
  writer.setPageSize(QPageSize(QPageSize::A4));
  writer.setPageMargins(QMarginsF());
  writer.setTitle(text_of(j.input.name + ": " + report::verdict_sentence(j.evaluation.decision)));
  writer.setCreator(QStringLiteral("KV Cliff " KVCLIFF_VERSION));
  QCPPainter p;
  if (!p.begin(&writer))
    return fail(ErrorCode::io, "The report cannot be written", path.toStdString(), "the file cannot be opened for writing", "choose another folder");
  p.setMode(QCPPainter::pmVectorized);
  p.setMode(QCPPainter::pmNoCaching);

  const auto& d = j.evaluation.decision;
  const QString mark = j.watermark();
  Paper paper(writer, p, theme, (mark.isEmpty() ? QString() : mark + QStringLiteral("   ")) + j.caption());
  paper.text(text_of(j.input.name), theme.font(TextSize::PageTitle));
  paper.text(QObject::tr("run %1, plan %2, measured %3 by kvcliff %4, method version %5, gates %6")
                 .arg(text_of(j.input.run_id), text_of(j.input.plan_hash), text_of(j.input.created), text_of(j.input.program_version), QLatin1String(reconcile::method_version), j.gates_word()),
             theme.font(TextSize::Caption), "text3");
  if (j.input.simulated)
    paper.text(QObject::tr("SIMULATED: the engine is an emulator; its times are %1.").arg(text_of(j.input.times_origin.empty() ? "of unknown origin" : j.input.times_origin)),
               theme.font(TextSize::CardTitle), "simulated");
  paper.space(12);
  paper.text(verdict_title(d), theme.font(TextSize::Verdict), d.withdrawn() ? "withdrawn" : "text");
  paper.space(2);
  paper.text(verdict_sentence(d), theme.font(TextSize::Body));
  if (!d.withdrawn() && !d.first_visit_caution.empty()) paper.text(QObject::tr("Caution: %1").arg(text_of(d.first_visit_caution)), theme.font(TextSize::Chart), "notsettled");
  for (const auto& w : d.warnings) paper.text(QObject::tr("Note: %1").arg(text_of(w)), theme.font(TextSize::Chart), "text2");
  for (const auto& n : j.notes) paper.text(QObject::tr("Note: %1").arg(text_of(n)), theme.font(TextSize::Chart), "text2");

  paper.heading(QObject::tr("What this run does not establish"));
  QFont medium = theme.font(TextSize::Chart);
  medium.setWeight(QFont::Medium);
  for (const auto& l : d.not_established) {
    paper.text(text_of(l.what), medium);
    paper.text(text_of(l.why), theme.font(TextSize::Chart), "text2");
    paper.space(3);
  }

  const auto judged = JudgedPtr(&j, [](const Judged*) {});
  PairsChart pairs(theme);
  EcdfChart ecdf(theme);
  ComputedChart computed(theme);
  PredictedChart predicted(theme);
  SplitChart split(theme);
  for (Plot* plot : std::initializer_list<Plot*>{&pairs, &ecdf, &computed, &predicted, &split}) plot->set_watermark(mark);
  pairs.set_judged(judged);
  ecdf.set_judged(judged);
  computed.set_judged(judged);
  predicted.set_judged(judged);
  split.set_judged(judged);
  paper.chart(pairs, 300, pairs.title());
  paper.chart(ecdf, 280, ecdf.title());
  paper.chart(computed, 280, computed.title());
  paper.chart(predicted, 280, predicted.title());
  paper.chart(split, 150, split.title());
  if (split.split()) paper.text(split.note(), theme.font(TextSize::Caption), "text3");
  write_tables(paper, j);
  if (!p.end()) return fail(ErrorCode::io, "The report cannot be written", path.toStdString(), "the disk refused it", "free some space");
  return path;
}

}  // namespace kvcliff::ui
