// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/ledger_model.h"

#include <map>

#include "report/csv.h"
#include "ui/models/evidence_table.h"
#include "ui/theme/numbers.h"
#include "ui/theme/plain_text.h"

namespace kvcliff::ui {
namespace {

// Amounts are exact; the few that are no whole numbers (seconds) keep their digits.
QString amount(double v) {
  if (v == std::round(v) && std::fabs(v) < 9e15) return exact(qint64(v));
  return QLocale().toString(v, 'g', 9);
}
QString signed_amount(double v) {
  if (v == 0) return QStringLiteral("0");
  return v > 0 ? QLatin1Char('+') + amount(v) : QChar(0x2212) + amount(-v);
}

// Names for people of the quantities that every session has; others keep the name of their counter.
QString quantity_words(const LedgerLine& l) {
  const auto is = [&](const char* v) { return l.quantity == v; };
  if (is("prompt_tokens")) return QObject::tr("prompt tokens");
  if (is("generation_tokens")) return QObject::tr("tokens generated");
  if (is("prompt_tokens_by_source{computed}")) return QObject::tr("tokens computed");
  if (is("prompt_tokens_by_source{gpu_hit}")) return QObject::tr("tokens hit in the GPU");
  if (is("prompt_tokens_by_source{host_loaded}")) return QObject::tr("tokens loaded from host");
  if (is("kv_offload_load_bytes")) return QObject::tr("bytes loaded");
  if (is("kv_offload_store_bytes")) return QObject::tr("bytes stored");
  return shown(l.quantity + (l.unit.empty() ? "" : ", " + l.unit));
}

}  // namespace

void LedgerModel::set_lines(std::vector<LedgerLine> lines) {
  beginResetModel();
  lines_ = std::move(lines);
  endResetModel();
}

bool LedgerModel::clean() const {
  return std::all_of(lines_.begin(), lines_.end(), [](const LedgerLine& l) { return l.unexplained.value_or(0) == 0; });
}

bool LedgerModel::known() const {
  return !lines_.empty() && std::all_of(lines_.begin(), lines_.end(), [](const LedgerLine& l) { return l.unexplained || l.covered; });
}

QString LedgerModel::unexplained_words() const {
  if (clean()) return known() ? QStringLiteral("0") : QObject::tr("unknown");
  std::map<std::string, double> by_unit;
  for (const auto& l : lines_)
    if (l.unexplained.value_or(0) != 0) by_unit[l.unit] += *l.unexplained;
  QStringList out;
  for (const auto& [unit, v] : by_unit) out << signed_amount(v) + QLatin1Char(' ') + shown(unit);
  return out.join(QStringLiteral(", "));
}

QVariant LedgerModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount()) return {};
  const LedgerLine& l = line(index.row());
  const auto known = [](const std::optional<double>& v) { return v ? amount(*v) : QObject::tr("unknown"); };
  if (role == Qt::DisplayRole) {
    switch (index.column()) {
      case Quantity: return quantity_words(l);
      case Expected: return known(l.expected);
      case Measured: return known(l.measured);
      case Explained: {
        QStringList parts;
        for (const auto& p : l.explained) parts << amount(p.amount) + QLatin1Char(' ') + shown(p.name);
        return parts.isEmpty() ? shown(l.why) : parts.join(QStringLiteral(", "));
      }
      case Unexplained: return l.unexplained ? signed_amount(*l.unexplained) : QObject::tr("unknown");
    }
  }
  if (role == EvidenceTable::ToneRole) {
    if (index.column() == Explained) return QByteArray("text2");
    if (index.column() == Unexplained) return QByteArray(!l.unexplained ? "text3" : *l.unexplained == 0 ? "pass" : "fail");
    if ((index.column() == Expected && !l.expected) || (index.column() == Measured && !l.measured)) return QByteArray("text3");
    return QByteArray();
  }
  if (role == EvidenceTable::BoldRole) return index.column() == Unexplained;
  if (role == Qt::ToolTipRole) {
    QString tip = shown(l.quantity);
    for (const auto& p : l.explained) tip += QStringLiteral("\n%1: %2").arg(shown(p.name), amount(p.amount));
    if (!l.why.empty()) tip += QLatin1Char('\n') + shown(l.why);
    return tip;
  }
  if (role == Qt::TextAlignmentRole)
    return int(Qt::AlignVCenter | (index.column() == Quantity || index.column() == Explained ? Qt::AlignLeft : Qt::AlignRight));
  return {};
}

QVariant LedgerModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole) return int(Qt::AlignVCenter | (section == Quantity || section == Explained ? Qt::AlignLeft : Qt::AlignRight));
  if (role == Qt::ToolTipRole && section == Unexplained) return tr("measured \u2212 expected \u2212 explained; anything but 0 withdraws the claim");
  if (role != Qt::DisplayRole) return {};
  const QString names[] = {tr("quantity"), tr("expected"), tr("measured"), tr("explained by"), tr("unexplained")};
  return section >= 0 && section < ColumnCount ? QVariant(names[section]) : QVariant();
}

QString LedgerModel::text(bool csv) const {
  report::CsvFormat format;
  if (!csv) format = {'\t', '.', "\n"};
  report::Csv out({"quantity", "unit", "expected", "measured", "explained_by", "unexplained", "why"}, format);
  for (const auto& l : lines_) {
    std::string names;
    for (const auto& p : l.explained) names += (names.empty() ? "" : "; ") + p.name + " = " + report::plain_number(p.amount);
    out.row().text(l.quantity).text(l.unit).maybe(l.expected).maybe(l.measured).text(names).maybe(l.unexplained).text(l.why);
  }
  return QString::fromStdString(out.str());
}

}  // namespace kvcliff::ui
