// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/plan_requests.h"

#include "ui/models/table_text.h"
#include "ui/theme/numbers.h"

namespace kvcliff::ui {
namespace {

QString counted(const PredictedCount& c, bool plain) {
  const auto number = [plain](std::int64_t v) { return plain ? QString::number(v) : exact(v); };
  return c.is_exact() ? number(c.min) : PlanRequests::tr("%1 to %2").arg(number(c.min), number(c.max));
}

}  // namespace

void PlanRequests::show(std::vector<ListedRequest> requests, std::int64_t block_size) {
  beginResetModel();
  requests_ = std::move(requests);
  block_size_ = std::max<std::int64_t>(1, block_size);
  warmups_ = int(std::count_if(requests_.begin(), requests_.end(), [](const auto& r) { return r.request.warmup; }));
  endResetModel();
}

int PlanRequests::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : int(requests_.size()); }
int PlanRequests::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : ColumnCount; }

QVariant PlanRequests::shown(const ListedRequest& l, int column, bool plain) const {
  const PlannedRequest& r = l.request;
  const auto number = [plain](std::int64_t v) { return plain ? QString::number(v) : exact(v); };
  switch (column) {
    case Number: return r.warmup ? tr("warm-up") : number(r.ordinal - warmups_ + 1);
    case Round: return r.round < 1 ? QString() : number(r.round);
    case Document: return r.document < 0 ? QString() : number(r.document + 1);
    case TokensColumn: return number(r.prompt_tokens);
    case FullBlocks: return number(r.prompt_tokens / block_size_);
    case Distance: return r.revisit_distance < 0 ? (plain ? QString() : tr("first visit")) : number(r.revisit_distance);
    case GpuHit: return counted(r.predicted.gpu_hit, plain);
    case HostLoaded: return counted(r.predicted.host_loaded, plain);
    case Computed: return counted(r.predicted.computed, plain);
    case Why: return QString::fromStdString(l.why);
    default: return {};
  }
}

QVariant PlanRequests::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() < 0 || index.row() >= int(requests_.size())) return {};
  const ListedRequest& r = requests_[std::size_t(index.row())];
  switch (role) {
    case Qt::DisplayRole: return shown(r, index.column(), false);
    case PlainRole: return shown(r, index.column(), true);
    case Qt::ToolTipRole: {
      if (index.column() == Why) return QString::fromStdString(r.why);
      const PredictedCount* c = index.column() == GpuHit ? &r.request.predicted.gpu_hit : index.column() == HostLoaded ? &r.request.predicted.host_loaded
                                : index.column() == Computed ? &r.request.predicted.computed : nullptr;
      if (c && !c->is_exact()) return QString::fromStdString(c->why);
      return headerData(index.column(), Qt::Horizontal, Qt::ToolTipRole);
    }
    case Qt::TextAlignmentRole: return int((index.column() == Why ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    case SourceRole: {
      if (index.column() == GpuHit && r.request.predicted.gpu_hit.max > 0) return int(Source::gpu_hit);
      if (index.column() == HostLoaded && r.request.predicted.host_loaded.max > 0) return int(Source::host_loaded);
      return {};
    }
    default: return {};
  }
}

QVariant PlanRequests::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  static const struct { const char *name, *tip; } columns[ColumnCount] = {
      {QT_TR_NOOP("#"), QT_TR_NOOP("Number of the request in its session; warm-up requests come first and are not counted")},
      {QT_TR_NOOP("round"), QT_TR_NOOP("Visit number of this document")},
      {QT_TR_NOOP("document"), QT_TR_NOOP("The shared prompt that is visited again")},
      {QT_TR_NOOP("tokens"), QT_TR_NOOP("Prompt tokens")},
      {QT_TR_NOOP("full blocks"), QT_TR_NOOP("Whole blocks of the prompt: only these can be reused")},
      {QT_TR_NOOP("distance, blocks"), QT_TR_NOOP("Revisit distance: distinct blocks since the last visit, the request's own included. A cache of so many blocks still holds it")},
      {QT_TR_NOOP("GPU hit"), QT_TR_NOOP("Tokens predicted to be found in the GPU cache")},
      {QT_TR_NOOP("host loaded"), QT_TR_NOOP("Tokens predicted to be loaded from the host tier")},
      {QT_TR_NOOP("computed"), QT_TR_NOOP("Tokens predicted to be computed")},
      {QT_TR_NOOP("why"), QT_TR_NOOP("Reason for the largest part of the request")}};
  if (section < 0 || section >= ColumnCount) return {};
  if (role == Qt::DisplayRole) return tr(columns[section].name);
  if (role == Qt::ToolTipRole) return tr(columns[section].tip);
  if (role == Qt::TextAlignmentRole) return int((section == Why ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
  return {};
}

QString PlanRequests::text(QChar separator) const {
  QString out;
  for (int c = 0; c < ColumnCount; ++c) out += (c ? QString(separator) : QString()) + table_cell(headerData(c, Qt::Horizontal, Qt::DisplayRole).toString(), separator);
  out += QLatin1Char('\n');
  for (const auto& r : requests_) {
    for (int c = 0; c < ColumnCount; ++c) out += (c ? QString(separator) : QString()) + table_cell(shown(r, c, true).toString(), separator);
    out += QLatin1Char('\n');
  }
  return out;
}

}  // namespace kvcliff::ui
