// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/matrix_model.h"

#include <map>
#include <set>

#include "reconcile/check_table.h"
#include "report/csv.h"
#include "ui/theme/numbers.h"
#include "ui/theme/plain_text.h"

namespace kvcliff::ui {
namespace {

// Names short enough for a row label; the long title of the check table is in the tooltip.
QString short_name(std::string_view id, CheckScope scope) {
  const auto is = [&](const char* v) { return id == v; };
  if (is("R1")) return QObject::tr("sources sum to the prompt");
  if (is("R2")) return QObject::tr("prompt: sent = usage = counter");
  if (is("R3")) return QObject::tr("loaded tokens = loaded bytes");
  if (is("R4")) return QObject::tr("cached tokens in the body");
  if (is("R5")) return QObject::tr("external hits = host loaded");
  if (is("R6")) return QObject::tr("prefix and external queries");
  if (is("R7")) return scope == CheckScope::request ? QObject::tr("stored blocks \u00d7 block bytes") : QObject::tr("stored bytes of the session");
  if (is("R8")) return QObject::tr("whole blocks");
  if (is("R9")) return QObject::tr("only our request in the window");
  if (is("R10")) return QObject::tr("no preemption, no failed store");
  if (is("R11")) return QObject::tr("monotone, same process");
  if (is("R12")) return QObject::tr("stream complete");
  if (is("R13")) return QObject::tr("predicted = measured");
  if (is("R14")) return QObject::tr("session totals");
  if (is("R15")) return scope == CheckScope::session ? QObject::tr("configuration = plan") : QObject::tr("arms differ in the tier only");
  if (is("R16")) return QObject::tr("cold start");
  if (is("R17")) return scope == CheckScope::request ? QObject::tr("clocks in order") : QObject::tr("client not late");
  if (is("R18")) return QObject::tr("same output in both arms");
  if (is("R19")) return QObject::tr("KV events agree");
  if (is("R20")) return QObject::tr("metric generations agree");
  if (is("R21")) return QObject::tr("latency agrees (flag)");
  return QString::fromUtf8(id.data(), int(id.size()));
}

bool open_state(CheckState s) { return s == CheckState::fail || s == CheckState::not_settled; }

}  // namespace

QString state_words(CheckState state) {
  switch (state) {
    case CheckState::pass: return QObject::tr("pass");
    case CheckState::fail: return QObject::tr("fail");
    case CheckState::not_possible: return QObject::tr("not possible");
    case CheckState::not_settled: return QObject::tr("not settled");
    case CheckState::not_applicable: return QObject::tr("not applicable");
  }
  return {};
}

QString residual_words(const CheckResult& r) {
  const QString unit = shown(r.unit);
  const QString tail = unit.isEmpty() || unit == QLatin1String("-") ? QString() : QLatin1Char(' ') + unit;
  if (r.residual == std::round(r.residual) && std::fabs(r.residual) < 9e15) return signed_exact(qint64(r.residual)) + tail;
  const QString n = QLocale().toString(std::fabs(r.residual), 'g', 4);
  return (r.residual < 0 ? QChar(0x2212) : QLatin1Char('+')) + n + tail;
}

MatrixModel::MatrixModel(QObject* parent) : QAbstractTableModel(parent) {}

void MatrixModel::set_judged(JudgedPtr judged) {
  beginResetModel();
  judged_ = std::move(judged);
  build();
  endResetModel();
}

void MatrixModel::set_only_open(bool on) {
  if (on == only_open_) return;
  beginResetModel();
  only_open_ = on;
  build();
  endResetModel();
}

const CheckResult* MatrixModel::result(const MatrixRow& row, int request, std::size_t session) const {
  const auto& r = judged_->evaluation.reconciliation;
  const std::string_view id = reconcile::check_table()[row.check].id;
  switch (row.scope) {
    case CheckScope::request: return judged_->measured[std::size_t(request)]->find(id);
    case CheckScope::session:
      for (const auto& s : r.sessions)
        if (s.session == session)
          for (const auto& c : s.checks)
            if (c.id == id) return &c;
      return nullptr;
    case CheckScope::pair: {
      const auto& record = judged_->input.sessions[session].record;
      if (record.pair < 0 || record.conditioning) return nullptr;
      for (const auto& p : r.pairs)
        if (p.pair == record.pair && p.check.id == id) return &p.check;
      return nullptr;
    }
    case CheckScope::experiment:
      for (const auto& c : r.experiment)
        if (c.id == id) return &c;
      return nullptr;
  }
  return nullptr;
}

void MatrixModel::build() {
  rows_.clear();
  shown_rows_.clear();
  shown_.clear();
  groups_.clear();
  states_.clear();
  open_.clear();
  if (!judged_) return;
  const auto& table = reconcile::check_table();
  const int n = int(judged_->measured.size());
  const auto add = [&](std::size_t i, CheckScope scope) {
    MatrixRow row;
    row.check = i;
    row.scope = scope;
    row.id = QString::fromUtf8(table[i].id.data(), int(table[i].id.size()));
    row.title = QString::fromUtf8(table[i].title.data(), int(table[i].title.size()));
    row.name = short_name(table[i].id, scope);
    row.flag = table[i].flag;
    rows_.push_back(row);
  };
  for (std::size_t i = 0; i < table.size(); ++i)
    if (table[i].request) add(i, CheckScope::request);
  for (std::size_t i = 0; i < table.size(); ++i)
    if (table[i].pairs) add(i, CheckScope::pair);
  for (std::size_t i = 0; i < table.size(); ++i)
    if (table[i].session) add(i, CheckScope::session);
  for (std::size_t i = 0; i < table.size(); ++i)
    if (table[i].experiment) add(i, CheckScope::experiment);

  // A session's, a pair's and the experiment's result do not depend on the request.
  const auto count = [](MatrixRow& row, CheckState s) {
    if (s == CheckState::not_applicable) return;
    ++row.subjects;
    row.fail += s == CheckState::fail;
    row.not_possible += s == CheckState::not_possible;
    row.not_settled += s == CheckState::not_settled;
  };
  std::vector<bool> column_open(std::size_t(n), false);
  std::vector<bool> session_open(judged_->input.sessions.size(), false);
  states_.resize(rows_.size());
  std::map<std::string_view, std::size_t> request_row;
  for (std::size_t r = 0; r < rows_.size(); ++r)
    if (rows_[r].scope == CheckScope::request) {
      request_row[table[rows_[r].check].id] = r;
      states_[r].resize(std::size_t(n), std::uint8_t(CheckState::not_applicable));
    }
  for (int q = 0; q < n; ++q)
    for (const CheckResult& c : judged_->measured[std::size_t(q)]->checks) {
      const auto found = request_row.find(c.id);
      if (found == request_row.end()) continue;
      states_[found->second][std::size_t(q)] = std::uint8_t(c.state);
      count(rows_[found->second], c.state);
    }
  // What is possible for no request says nothing about single ones: its row stays, its columns need not.
  for (const auto& [id, r] : request_row) {
    const bool nowhere = rows_[r].not_possible == rows_[r].subjects;
    for (int q = 0; q < n; ++q) {
      const auto s = CheckState(states_[r][std::size_t(q)]);
      if (open_state(s) || (s == CheckState::not_possible && !nowhere)) column_open[std::size_t(q)] = true;
    }
  }
  for (MatrixRow& row : rows_) {
    if (row.scope == CheckScope::request) continue;
    std::set<const CheckResult*> seen;
    for (std::size_t s = 0; s < session_open.size(); ++s) {
      const CheckResult* c = result(row, 0, s);
      if (!c) continue;
      if (row.scope != CheckScope::experiment && open_state(c->state)) session_open[s] = true;
      if (seen.insert(c).second) count(row, c->state);
    }
  }
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    const MatrixRow& row = rows_[r];
    if (!only_open_ || row.fail + row.not_possible + row.not_settled > 0) shown_rows_.push_back(int(r));
  }
  for (int q = 0; q < n; ++q)
    if (!only_open_ || column_open[std::size_t(q)] || session_open[judged_->measured[std::size_t(q)]->session]) shown_.push_back(q);
  if (shown_.empty())  // only whole sessions are open, and none of them fails: their cells need room
    for (int q = 0; q < n; ++q) shown_.push_back(q);
  for (int c = 0; c < int(shown_.size()); ++c) {
    const std::size_t session = judged_->measured[std::size_t(shown_[std::size_t(c)])]->session;
    if (groups_.empty() || groups_.back().session != session) {
      const auto& record = judged_->input.sessions[session].record;
      groups_.push_back({session, c, c, record.conditioning ? -1 : record.pair, QString::number(record.ordinal + 1), shown(record.arm)});
    }
    groups_.back().last = c;
  }
  for (int r = 0; r < int(shown_rows_.size()); ++r) {
    const auto& states = states_[std::size_t(shown_rows_[std::size_t(r)])];
    for (int c = 0; c < int(shown_.size());) {
      if (!states.empty()) {
        if (open_state(CheckState(states[std::size_t(request_of(c))]))) open_.emplace_back(c, r);
        ++c;
        continue;
      }
      const MatrixCell cell = this->cell(r, c);
      if (cell.result && open_state(cell.state)) open_.emplace_back(c, r);
      c = std::max(c, cell.to) + 1;
    }
  }
  std::sort(open_.begin(), open_.end());
}

int MatrixModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : int(shown_rows_.size()); }
int MatrixModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : int(shown_.size()); }

int MatrixModel::group_of(int column) const {
  const auto it = std::upper_bound(groups_.begin(), groups_.end(), column, [](int c, const MatrixGroup& g) { return c < g.first; });
  return int(it - groups_.begin()) - 1;
}

int MatrixModel::column_of(int request) const {
  const auto it = std::lower_bound(shown_.begin(), shown_.end(), request);
  return it != shown_.end() && *it == request ? int(it - shown_.begin()) : -1;
}

MatrixCell MatrixModel::cell(int r, int column) const {
  const std::size_t index = std::size_t(shown_rows_[std::size_t(r)]);
  const MatrixRow& row = rows_[index];
  MatrixCell out;
  out.from = out.to = column;
  const int request = request_of(column);
  if (row.scope == CheckScope::request) {
    out.state = CheckState(states_[index][std::size_t(request)]);
    out.result = result(row, request, 0);
    return out;
  }
  const int g = group_of(column);
  const MatrixGroup& group = groups_[std::size_t(g)];
  out.result = result(row, request, group.session);
  out.from = group.first;
  out.to = group.last;
  if (row.scope == CheckScope::experiment) {
    out.from = 0;
    out.to = int(shown_.size()) - 1;
  } else if (row.scope == CheckScope::pair && out.result) {
    // Sessions of a pair run one after the other; the cell covers those that touch.
    for (int k = g; k > 0 && groups_[std::size_t(k - 1)].pair == group.pair; --k) out.from = groups_[std::size_t(k - 1)].first;
    for (int k = g; k + 1 < int(groups_.size()) && groups_[std::size_t(k + 1)].pair == group.pair; ++k) out.to = groups_[std::size_t(k + 1)].last;
  }
  if (out.result) out.state = out.result->state;
  return out;
}

std::optional<std::pair<int, int>> MatrixModel::next_open(int row, int column, bool forward) const {
  if (open_.empty()) return std::nullopt;
  const std::pair<int, int> here{column, row};
  if (forward) {
    const auto it = std::upper_bound(open_.begin(), open_.end(), here);
    const auto& found = it == open_.end() ? open_.front() : *it;
    return std::pair{found.second, found.first};
  }
  const auto it = std::lower_bound(open_.begin(), open_.end(), here);
  const auto& found = it == open_.begin() ? open_.back() : *std::prev(it);
  return std::pair{found.second, found.first};
}

int MatrixModel::open_left_of(int column) const {
  return int(std::lower_bound(open_.begin(), open_.end(), std::pair{column, -1}) - open_.begin());
}
int MatrixModel::open_right_of(int column) const {
  return int(open_.end() - std::lower_bound(open_.begin(), open_.end(), std::pair{column + 1, -1}));
}

QString MatrixModel::words(int r, int column) const {
  const MatrixRow& row = this->row(r);
  const MatrixCell c = cell(r, column);
  QString subject;
  switch (row.scope) {
    case CheckScope::request: subject = judged_->request_words(request_of(column)); break;
    case CheckScope::session: subject = tr("Session %1").arg(judged_->session_name(groups_[std::size_t(group_of(column))].session)); break;
    case CheckScope::pair: subject = tr("Pair %1").arg(groups_[std::size_t(group_of(column))].pair + 1); break;
    case CheckScope::experiment: subject = tr("The experiment"); break;
  }
  QString out = tr("%1 %2. %3: %4").arg(row.id, row.title, subject, state_words(c.result ? c.state : CheckState::not_applicable));
  if (c.result && (c.state == CheckState::pass || c.state == CheckState::fail)) out += tr(", residual %1").arg(residual_words(*c.result));
  if (c.result && !c.result->why.empty()) out += QStringLiteral(". ") + shown(c.result->why);
  return out;
}

QVariant MatrixModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount() || index.column() >= columnCount()) return {};
  switch (role) {
    case Qt::DisplayRole: {
      const MatrixCell c = cell(index.row(), index.column());
      return c.result && c.state != CheckState::not_applicable ? state_words(c.state) : QString();
    }
    case Qt::ToolTipRole:
    case Qt::AccessibleTextRole: return words(index.row(), index.column());
    case Qt::UserRole: {
      const MatrixCell c = cell(index.row(), index.column());
      return c.result ? QVariant(c.result->residual) : QVariant();
    }
    default: return {};
  }
}

QVariant MatrixModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (section < 0 || section >= (orientation == Qt::Horizontal ? columnCount() : rowCount())) return {};
  if (orientation == Qt::Horizontal) return role == Qt::DisplayRole ? QVariant(request_of(section) + 1) : QVariant();
  const MatrixRow& r = row(section);
  if (role == Qt::DisplayRole) return r.id + QLatin1Char(' ') + r.name;
  return role == Qt::ToolTipRole ? QVariant(r.title) : QVariant();
}

QString MatrixModel::text(bool csv) const {
  if (!judged_) return {};
  std::vector<std::string> head{"check", "scope"};
  for (int c = 0; c < columnCount(); ++c) head.push_back("request_" + std::to_string(request_of(c) + 1));
  report::CsvFormat format;
  if (!csv) format = {'\t', '.', "\n"};
  report::Csv out(head, format);
  static constexpr const char* scopes[] = {"request", "session", "pair", "experiment"};
  for (int r = 0; r < rowCount(); ++r) {
    out.row().text(row(r).id.toStdString()).text(scopes[int(row(r).scope)]);
    for (int c = 0; c < columnCount(); ++c) {
      const MatrixCell k = cell(r, c);
      if (!k.result) out.none();
      else out.text(to_string(k.state));
    }
  }
  return QString::fromStdString(out.str());
}

}  // namespace kvcliff::ui
