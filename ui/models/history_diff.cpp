// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/history_diff.h"

#include <QCoreApplication>

#include "ui/theme/numbers.h"
#include "ui/theme/plain_text.h"

namespace kvcliff::ui {
namespace {

// Places of the plan file that have a name of their own for people; others are shown as they stand.
const std::map<std::string, const char*>& names() {
  static const std::map<std::string, const char*> all{
      {"model.id", QT_TRANSLATE_NOOP("kvcliff::ui::HistoryDiff", "Model")}, {"model.config", QT_TRANSLATE_NOOP("kvcliff::ui::HistoryDiff", "Model configuration")},
      {"model.kv_dtype", QT_TRANSLATE_NOOP("kvcliff::ui::HistoryDiff", "KV dtype")}, {"model.tp", QT_TRANSLATE_NOOP("kvcliff::ui::HistoryDiff", "Tensor parallel")},
      {"model.pp", QT_TRANSLATE_NOOP("kvcliff::ui::HistoryDiff", "Pipeline parallel")}, {"model.weights", QT_TRANSLATE_NOOP("kvcliff::ui::HistoryDiff", "Weights")},
      {"engine.adapter", QT_TRANSLATE_NOOP("kvcliff::ui::HistoryDiff", "Engine")}, {"engine.extra_args", QT_TRANSLATE_NOOP("kvcliff::ui::HistoryDiff", "Further arguments")},
      {"capacity.block_size", QT_TRANSLATE_NOOP("kvcliff::ui::HistoryDiff", "Block size")}, {"capacity.gpu_blocks", QT_TRANSLATE_NOOP("kvcliff::ui::HistoryDiff", "GPU blocks")},
      {"capacity.host_bytes", QT_TRANSLATE_NOOP("kvcliff::ui::HistoryDiff", "Host tier, bytes")}, {"workload.documents", QT_TRANSLATE_NOOP("kvcliff::ui::HistoryDiff", "Documents")},
      {"workload.tokens", QT_TRANSLATE_NOOP("kvcliff::ui::HistoryDiff", "Tokens of a document")}, {"workload.rounds", QT_TRANSLATE_NOOP("kvcliff::ui::HistoryDiff", "Rounds")},
      {"workload.order", QT_TRANSLATE_NOOP("kvcliff::ui::HistoryDiff", "Revisit order")}, {"workload.output_tokens", QT_TRANSLATE_NOOP("kvcliff::ui::HistoryDiff", "Output tokens")},
      {"workload.seed", QT_TRANSLATE_NOOP("kvcliff::ui::HistoryDiff", "Seed")}, {"schedule.pairs", QT_TRANSLATE_NOOP("kvcliff::ui::HistoryDiff", "Pairs")},
      {"schedule.first", QT_TRANSLATE_NOOP("kvcliff::ui::HistoryDiff", "First arm")}, {"load.mode", QT_TRANSLATE_NOOP("kvcliff::ui::HistoryDiff", "Load")},
      {"smallest_effect", QT_TRANSLATE_NOOP("kvcliff::ui::HistoryDiff", "Smallest effect")}};
  return all;
}

// Leaves of a JSON value by their dotted places. Lists of plain values stay one setting.
void flatten(const Json& j, const std::string& place, std::map<std::string, std::string>& out) {
  if (j.is_object()) {
    for (const auto& [key, value] : j.items()) flatten(value, place.empty() ? key : place + "." + key, out);
  } else if (j.is_array() && std::any_of(j.begin(), j.end(), [](const Json& v) { return v.is_structured(); })) {
    for (std::size_t i = 0; i < j.size(); ++i) {
      const bool named = j[i].is_object() && j[i].contains("name") && j[i].at("name").is_string();
      flatten(j[i], place + "." + (named ? j[i].at("name").get<std::string>() : std::to_string(i)), out);
    }
  } else {
    out[place] = j.is_string() ? j.get<std::string>() : j.is_number_integer() ? exact(j.get<std::int64_t>()).toStdString() : j.dump();
  }
}

std::map<std::string, std::string> settings_of(const HistoryRow& r) {
  std::map<std::string, std::string> out;
  if (r.plan) {
    Json plan = plan::to_json(*r.plan);
    plan.erase("schema");
    plan.erase("name");
    flatten(plan, "", out);
  }
  for (const auto& [name, value] : r.summary.settings) out["~" + name] = value;  // after the plan's own
  if (!r.summary.engine_version.empty()) out["engine.version stated"] = r.summary.engine_version;
  if (!r.summary.gpu.empty()) out["~machine GPU"] = r.summary.gpu;
  if (r.summary.bytes_per_token) out["model.KV bytes per token"] = exact(*r.summary.bytes_per_token).toStdString();
  out["~program version"] = r.record.program_version;
  out["~method version"] = r.record.method_version;
  out["~times"] = r.record.simulated ? "simulated" : "measured";
  return out;
}

QString in_words(const std::string& place) {
  if (const auto at = names().find(place); at != names().end()) return QCoreApplication::translate("kvcliff::ui::HistoryDiff", at->second);
  return shown(place[0] == '~' ? place.substr(1) : place);
}

}  // namespace

void HistoryDiff::compare(const std::vector<const HistoryRow*>& runs) {
  beginResetModel();
  lines_.clear();
  titles_.clear();
  differing_ = 0;
  other_model_ = other_engine_ = false;
  std::vector<std::map<std::string, std::string>> all;
  std::map<std::string, int> places;
  for (const HistoryRow* r : runs) {
    titles_ << r->number() + QLatin1Char(' ') + shown(r->record.name);
    all.push_back(settings_of(*r));
    for (const auto& [place, value] : all.back()) ++places[place];
    other_model_ |= r->record.model != runs.front()->record.model;
    other_engine_ |= r->record.engine != runs.front()->record.engine || r->summary.engine_version != runs.front()->summary.engine_version || r->summary.gpu != runs.front()->summary.gpu;
  }
  for (const auto& [place, count] : places) {
    Line line{in_words(place), shown(place[0] == '~' ? place.substr(1) : place), {}, count != int(runs.size())};
    for (const auto& one : all) {
      const auto at = one.find(place);
      line.values << (at == one.end() ? QString() : shown(at->second));
      line.differs |= line.values.back() != line.values.front();
    }
    differing_ += line.differs ? 1 : 0;
    lines_.push_back(std::move(line));
  }
  std::stable_sort(lines_.begin(), lines_.end(), [](const Line& a, const Line& b) { return a.differs > b.differs; });
  endResetModel();
}

int HistoryDiff::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : int(lines_.size()); }
int HistoryDiff::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : 1 + int(titles_.size()); }

QVariant HistoryDiff::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= int(lines_.size())) return {};
  const Line& l = lines_[std::size_t(index.row())];
  if (role == DiffersRole) return l.differs;
  if (role == Qt::DisplayRole) {
    if (index.column() == 0) return l.name;
    const QString& v = l.values[index.column() - 1];
    return v.isEmpty() ? tr("not set") : v;
  }
  if (role == Qt::ToolTipRole) return index.column() == 0 ? l.place : l.values[index.column() - 1];
  return {};
}

QVariant HistoryDiff::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole) return int(Qt::AlignLeft | Qt::AlignVCenter);
  if (role != Qt::DisplayRole || section < 0 || section > titles_.size()) return {};
  return section == 0 ? tr("setting") : titles_[section - 1];
}

QString HistoryDiff::text(QChar separator) const {
  const auto cell = [separator](const QString& t) {
    return t.contains(separator) || t.contains(QLatin1Char('"')) ? QLatin1Char('"') + QString(t).replace(QLatin1Char('"'), QLatin1String("\"\"")) + QLatin1Char('"') : t;
  };
  QString out = tr("setting");
  for (const QString& t : titles_) out += separator + cell(t);
  out += QLatin1Char('\n');
  for (const Line& l : lines_) {
    out += cell(l.place);
    for (const QString& v : l.values) out += separator + cell(v);
    out += QLatin1Char('\n');
  }
  return out;
}

}  // namespace kvcliff::ui
