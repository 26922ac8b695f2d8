// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/history_model.h"

#include <QDateTime>
#include <QFileInfo>

#include "journal/local_time.h"
#include "ui/theme/numbers.h"
#include "ui/theme/plain_text.h"

namespace kvcliff::ui {
namespace {

QString words(const std::string& s) { return shown(s); }

QString engine_name(const HistoryRow& r) {
  QString name = words(r.record.engine);
  if (name == QLatin1String("vllm")) name = QStringLiteral("vLLM");
  if (!r.summary.engine_version.empty()) name += QLatin1Char(' ') + words(r.summary.engine_version);
  if (!r.summary.gpu.empty() && !r.record.simulated) name += QStringLiteral(", ") + words(r.summary.gpu);
  return name;
}

bool has_tier(const HistoryRow& r) {
  return r.plan && std::any_of(r.plan->arms.begin(), r.plan->arms.end(), [](const auto& a) { return a.offload; });
}

// `raw`: as they are, to be edited.
QString join(const std::vector<std::string>& tags, bool raw = false) {
  QStringList out;
  for (const auto& t : tags) out << (raw ? QString::fromStdString(t) : words(t));
  return out.join(QStringLiteral(", "));
}

}  // namespace

QString HistoryModel::when(WallNs t) {
  const QDateTime at = QDateTime::fromMSecsSinceEpoch(t / 1'000'000);
  const QDate today = QDate::currentDate();
  if (at.date() == today) return tr("today %1").arg(QLocale().toString(at.time(), QStringLiteral("HH:mm")));
  if (at.date() == today.addDays(-1)) return tr("yesterday %1").arg(QLocale().toString(at.time(), QStringLiteral("HH:mm")));
  return QLocale().toString(at.date(), at.date().year() == today.year() ? QStringLiteral("d MMM") : QStringLiteral("d MMM yyyy"));
}

QString HistoryModel::verdict_word(const HistorySummary& s) {
  if (!s.verdict) return s.ready || !s.why.isEmpty() ? tr("no verdict") : tr("judging");
  switch (*s.verdict) {
    case analysis::Verdict::helps: return tr("helps");
    case analysis::Verdict::no_effect: return tr("no effect");
    case analysis::Verdict::hurts: return tr("hurts");
    case analysis::Verdict::cannot_tell: return tr("cannot tell");
    case analysis::Verdict::withdrawn: return tr("withdrawn");
  }
  return {};
}

void HistoryModel::put(const QString& journal, const std::vector<HistoryRow>& rows, bool first, bool last) {
  auto& unseen = unseen_[journal];
  if (first) {
    unseen.clear();
    for (const auto& r : rows_)
      if (r.journal == journal) unseen.insert(r.record.uid);
  }
  std::map<std::string_view, int> known;
  for (std::size_t i = 0; i < rows_.size(); ++i)
    if (rows_[i].journal == journal) known[rows_[i].record.uid] = int(i);
  std::vector<HistoryRow> fresh;
  for (const HistoryRow& row : rows) {
    unseen.erase(row.record.uid);
    const auto at = known.find(row.record.uid);
    if (at == known.end()) {
      fresh.push_back(row);
      continue;
    }
    // What was known of a run is shown until it is judged again, so that a reload does not flicker.
    const int i = at->second;
    HistoryRow& kept = rows_[std::size_t(i)];
    known.erase(at);  // its key lies in the row that is written now
    const bool ended = kept.record.state != "running";
    HistorySummary summary = std::move(kept.summary);
    kept = row;
    if (ended) kept.summary = std::move(summary);
    emit dataChanged(index(i, 0), index(i, ColumnCount - 1));
  }
  if (!fresh.empty()) {
    beginInsertRows({}, int(rows_.size()), int(rows_.size() + fresh.size()) - 1);
    rows_.insert(rows_.end(), fresh.begin(), fresh.end());
    endInsertRows();
  }
  if (last) {
    const auto gone = std::exchange(unseen, {});
    remove_rows([&](const HistoryRow& r) { return r.journal == journal && gone.count(r.record.uid) > 0; });
  }
  emit checks_changed();
}

void HistoryModel::remove_journal(const QString& journal) {
  unseen_.erase(journal);
  remove_rows([&](const HistoryRow& r) { return r.journal == journal; });
  emit checks_changed();
}

void HistoryModel::remove_rows(const std::function<bool(const HistoryRow&)>& which) {
  for (int i = int(rows_.size()) - 1; i >= 0; --i) {
    if (!which(rows_[std::size_t(i)])) continue;
    int from = i;
    while (from > 0 && which(rows_[std::size_t(from - 1)])) --from;
    beginRemoveRows({}, from, i);
    rows_.erase(rows_.begin() + from, rows_.begin() + i + 1);
    endRemoveRows();
    i = from;
  }
}

void HistoryModel::summarise(const QString& journal, const QString& uid, const HistorySummary& summary) {
  for (std::size_t i = 0; i < rows_.size(); ++i)
    if (rows_[i].journal == journal && words(rows_[i].record.uid) == uid) {
      rows_[i].summary = summary;
      emit dataChanged(index(int(i), 0), index(int(i), ColumnCount - 1));
    }
}

std::vector<int> HistoryModel::checked() const {
  std::vector<int> out;
  for (std::size_t i = 0; i < rows_.size(); ++i)
    if (checked_.contains(words(rows_[i].record.uid))) out.push_back(int(i));
  return out;
}

void HistoryModel::clear_checks() {
  checked_.clear();
  if (!rows_.empty()) emit dataChanged(index(0, 0), index(int(rows_.size()) - 1, 0), {Qt::CheckStateRole});
  emit checks_changed();
}

int HistoryModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : int(rows_.size()); }
int HistoryModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : ColumnCount; }

QString HistoryModel::shown(const HistoryRow& r, int column) const {
  const HistorySummary& s = r.summary;
  switch (column) {
    case Run: return r.number();
    case Started: return when(r.record.created);
    case Name: return words(r.record.name);
    case Model: return model_words(words(r.record.model));
    case Engine: return engine_name(r);
    case WorkingSet: return r.working_set ? ratio(*r.working_set) + QStringLiteral(" \u00d7") : tr("unknown");
    case HostGib: return !r.plan ? tr("unknown") : has_tier(r) ? gib(r.plan->capacity.host_bytes) : tr("none");
    case Sources: {
      if (!s.computed) return s.why.isEmpty() ? QString() : tr("none");
      const double all = std::max(1.0, double(*s.computed + *s.gpu_hit + *s.host_loaded + *s.unknown));
      return tr("computed %1, host loaded %2, GPU hit %3, unknown %4")
          .arg(share_percent(double(*s.computed) / all), share_percent(double(*s.host_loaded) / all), share_percent(double(*s.gpu_hit) / all), share_percent(double(*s.unknown) / all));
    }
    case Reconciled: return s.reconciled ? tr("%1 / %2").arg(exact(*s.reconciled), exact(s.measured)) : s.ready || !s.why.isEmpty() ? tr("not possible") : QString();
    case VerdictColumn: return verdict_word(s);
    case Ratio:
      if (s.ratio) return tr("%1 (%2 to %3)").arg(ratio(s.ratio->estimate), ratio(s.ratio->low), ratio(s.ratio->high));
      if (s.verdict == analysis::Verdict::withdrawn) return words(s.verdict_why);
      return r.record.state == "running" ? tr("not ended") : s.why;
    case Tags: return join(r.record.tags);
    default: return {};
  }
}

QVariant HistoryModel::sort_value(const HistoryRow& r, int column) const {
  const HistorySummary& s = r.summary;
  switch (column) {
    case Run: return qlonglong(r.record.id);
    case Started: return qlonglong(r.record.created);
    case WorkingSet: return r.working_set ? QVariant(*r.working_set) : QVariant();
    case HostGib: return r.plan ? QVariant(qlonglong(has_tier(r) ? r.plan->capacity.host_bytes : 0)) : QVariant();
    case Sources: return s.computed ? QVariant(double(*s.computed) / std::max(1.0, double(*s.computed + *s.gpu_hit + *s.host_loaded + *s.unknown))) : QVariant();
    case Reconciled: return s.reconciled ? QVariant(double(*s.reconciled) / double(std::max<std::int64_t>(1, s.measured))) : QVariant();
    case VerdictColumn: return s.verdict ? QVariant(int(*s.verdict)) : QVariant();
    case Ratio: return s.ratio ? QVariant(s.ratio->estimate) : QVariant();
    default: {
      const QString text = shown(r, column).toLower();
      return text.isEmpty() ? QVariant() : QVariant(text);
    }
  }
}

QVariant HistoryModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() < 0 || index.row() >= int(rows_.size())) return {};
  const HistoryRow& r = rows_[std::size_t(index.row())];
  const int c = index.column();
  switch (role) {
    case Qt::DisplayRole: return shown(r, c);
    case Qt::EditRole: return c == Tags ? QVariant(join(r.record.tags, true)) : QVariant(shown(r, c));
    case SortRole: return sort_value(r, c);
    case RowRole: return index.row();
    case Qt::CheckStateRole: return c == Run ? QVariant(int(checked_.contains(words(r.record.uid)) ? Qt::Checked : Qt::Unchecked)) : QVariant();
    case Qt::TextAlignmentRole: return int((c == WorkingSet || c == HostGib || c == Reconciled ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    case Qt::ToolTipRole:
      switch (c) {
        case Run: return tr("Run %1\nJournal %2").arg(words(r.record.uid), kvcliff::ui::shown(r.journal));
        case Started: return words(journal::local_text(r.record.created));
        case Model: return r.plan ? words(r.record.model) : r.plan_why;
        case HostGib: return r.plan && has_tier(r) ? tr("%1 bytes").arg(exact(r.plan->capacity.host_bytes)) : shown(r, c);
        case VerdictColumn: case Ratio:
          return r.summary.title.isEmpty() ? words(r.summary.verdict_why) : r.summary.title + QLatin1Char('\n') + r.summary.sentence + QLatin1Char('\n') + r.summary.gates;
        default: return shown(r, c);
      }
    case Qt::AccessibleTextRole: return headerData(c, Qt::Horizontal, Qt::DisplayRole).toString() + QStringLiteral(": ") + shown(r, c);
    default: return {};
  }
}

bool HistoryModel::setData(const QModelIndex& index, const QVariant& value, int role) {
  if (!index.isValid() || index.row() >= int(rows_.size())) return false;
  HistoryRow& r = rows_[std::size_t(index.row())];
  if (role == Qt::CheckStateRole && index.column() == Run) {
    const QString uid = words(r.record.uid);
    if (value.toInt() == Qt::Checked) {
      checked_.insert(uid);
    } else {
      checked_.remove(uid);
    }
    emit dataChanged(index, index.siblingAtColumn(ColumnCount - 1), {Qt::CheckStateRole});
    emit checks_changed();
    return true;
  }
  if (role == Qt::EditRole && index.column() == Tags && !r.read_only) {
    QStringList tags;
    for (const QString& t : value.toString().split(QLatin1Char(','), Qt::SkipEmptyParts))
      if (!t.trimmed().isEmpty() && !tags.contains(t.trimmed())) tags << t.trimmed();
    if (join(r.record.tags, true) == tags.join(QStringLiteral(", "))) return true;
    r.record.tags.clear();
    for (const auto& t : tags) r.record.tags.push_back(t.toStdString());
    emit dataChanged(index, index);
    emit tags_edited(r.journal, r.record.id, tags);
    return true;
  }
  return false;
}

Qt::ItemFlags HistoryModel::flags(const QModelIndex& index) const {
  if (!index.isValid()) return Qt::NoItemFlags;
  Qt::ItemFlags f = Qt::ItemIsEnabled | Qt::ItemIsSelectable;
  if (index.column() == Run) f |= Qt::ItemIsUserCheckable;
  if (index.column() == Tags && !rows_[std::size_t(index.row())].read_only) f |= Qt::ItemIsEditable;
  return f;
}

QVariant HistoryModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount) return {};
  static const struct { const char *name, *tip; } columns[ColumnCount] = {
      {QT_TR_NOOP("run"), QT_TR_NOOP("Row of the run in its journal; check two to compare them")},
      {QT_TR_NOOP("started"), QT_TR_NOOP("Local time of the start; the journal holds UTC")},
      {QT_TR_NOOP("name"), QT_TR_NOOP("Name in the plan")},
      {QT_TR_NOOP("model"), QT_TR_NOOP("Model of the plan")},
      {QT_TR_NOOP("engine"), QT_TR_NOOP("Engine, its version as the server stated it, and the GPU; the flask marks simulated runs")},
      {QT_TR_NOOP("working set"), QT_TR_NOOP("Blocks that are revisited, in multiples of the usable GPU cache")},
      {QT_TR_NOOP("host GiB"), QT_TR_NOOP("Size of the host tier, GiB (2^30)")},
      {QT_TR_NOOP("tokens by source"), QT_TR_NOOP("Prompt tokens of all measured requests: computed, host loaded, GPU hit, unknown")},
      {QT_TR_NOOP("reconciled"), QT_TR_NOOP("Requests whose checks all pass, of all measured")},
      {QT_TR_NOOP("verdict"), QT_TR_NOOP("Computed from the journal by the present method")},
      {QT_TR_NOOP("TTFT ratio (95 %)"), QT_TR_NOOP("TTFT on revisits, with the tier over without it, with its 95 % interval; sessions are the unit")},
      {QT_TR_NOOP("tags"), QT_TR_NOOP("Your own words, separated by commas; double-click or F2 to edit")}};
  if (role == Qt::DisplayRole) return tr(columns[section].name);
  if (role == Qt::ToolTipRole) return tr(columns[section].tip);
  if (role == Qt::TextAlignmentRole) return int((section == WorkingSet || section == HostGib || section == Reconciled ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
  return {};
}

QString HistoryModel::plain(int row, int column) const {
  const HistoryRow& r = rows_[std::size_t(row)];
  switch (column) {
    case Run: return words(r.record.uid);
    case Started: return words(iso8601(r.record.created));
    case Model: return words(r.record.model);
    case WorkingSet: return r.working_set ? QString::number(*r.working_set, 'g', 9) : QString();
    case HostGib: return r.plan ? QString::number(has_tier(r) ? r.plan->capacity.host_bytes : 0) : QString();
    default: return shown(r, column);
  }
}

void HistoryFilter::set_text(const QString& text) {
  words_ = text.toLower().split(QLatin1Char(' '), Qt::SkipEmptyParts);
  invalidateFilter();
}

void HistoryFilter::set_kind(int kind) {
  kind_ = kind;
  invalidateFilter();
}

bool HistoryFilter::filterAcceptsRow(int row, const QModelIndex&) const {
  const HistoryRow& r = static_cast<const HistoryModel*>(sourceModel())->row(row);
  const HistorySummary& s = r.summary;
  if (kind_ == ReconciledRuns && !(s.reconciled && *s.reconciled == s.measured && s.measured > 0)) return false;
  if (kind_ == WithdrawnRuns && s.verdict != analysis::Verdict::withdrawn) return false;
  if (kind_ == ImportedRuns && std::find(r.record.tags.begin(), r.record.tags.end(), "import") == r.record.tags.end() && r.record.engine.rfind("import", 0) != 0) return false;
  if (words_.isEmpty()) return true;
  const QString all = (r.number() + QLatin1Char(' ') + words(r.record.uid + ' ' + r.record.name + ' ' + r.record.model + ' ' + r.record.engine + ' ' + r.summary.engine_version + ' ' + r.summary.gpu + ' ' + r.record.plan_hash + ' ' + r.record.note) +
                       QLatin1Char(' ') + join(r.record.tags) + QLatin1Char(' ') + HistoryModel::verdict_word(s) + (r.record.simulated ? QStringLiteral(" simulated") : QString())).toLower();
  return std::all_of(words_.begin(), words_.end(), [&](const QString& w) { return all.contains(w); });
}

bool HistoryFilter::lessThan(const QModelIndex& a, const QModelIndex& b) const {
  const QVariant x = a.data(HistoryModel::SortRole), y = b.data(HistoryModel::SortRole);
  // What is not known comes last, whichever way is sorted.
  if (x.isValid() != y.isValid()) return (sortOrder() == Qt::AscendingOrder) == x.isValid();
  if (!x.isValid()) return false;
  if (x.typeId() == QMetaType::QString) return QString::localeAwareCompare(x.toString(), y.toString()) < 0;
  return x.toDouble() < y.toDouble();
}

}  // namespace kvcliff::ui
