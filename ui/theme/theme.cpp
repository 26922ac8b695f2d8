// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/theme.h"

#include <QAbstractButton>
#include <QApplication>
#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>
#include <QEvent>
#include <QFile>
#include <QFontDatabase>
#include <QIconEngine>
#include <QJsonDocument>
#include <QJsonObject>
#include <QPainter>
#include <QPixmap>
#include <QSvgRenderer>
#include <QtMath>
#include <map>
#include <tuple>

namespace kvcliff::ui {
namespace {

QHash<QString, QColor> read_colors(const QJsonObject& object) {
  QHash<QString, QColor> out;
  for (auto it = object.begin(); it != object.end(); ++it) out.insert(it.key(), QColor(it.value().toString()));
  return out;
}

const char* source_name(Source s) {
  switch (s) {
    case Source::computed: return "computed";
    case Source::gpu_hit: return "gpu_hit";
    case Source::host_loaded: return "host_loaded";
    case Source::unknown: return "unknown";
  }
  return "unknown";
}

// Draws when it is first asked for, at the size and scale that are asked for: no screen gets a blurred icon, and nothing is
// drawn at the start that is not seen.
class SvgIcon : public QIconEngine {
 public:
  SvgIcon(QByteArray normal, QByteArray disabled, int largest) : normal_(std::move(normal)), disabled_(std::move(disabled)), largest_(largest) {}
  void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State) override {
    QSvgRenderer(mode == QIcon::Disabled ? disabled_ : normal_).render(painter, rect);
  }
  QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override {
    QPixmap& kept = drawn_[{size.width(), size.height(), mode == QIcon::Disabled}];
    if (kept.isNull() && !size.isEmpty()) {
      kept = QPixmap(size);
      kept.fill(Qt::transparent);
      QPainter painter(&kept);
      paint(&painter, QRect(QPoint(0, 0), size), mode, state);
    }
    return kept;
  }
  QSize actualSize(const QSize& size, QIcon::Mode, QIcon::State) override { return size.boundedTo({largest_, largest_}); }
  QList<QSize> availableSizes(QIcon::Mode, QIcon::State) override { return {{16, 16}, {largest_, largest_}, {32, 32}, {64, 64}}; }
  QIconEngine* clone() const override { return new SvgIcon(*this); }

 private:
  QByteArray normal_, disabled_;
  int largest_;   ///< side, pixels at 100 %
  std::map<std::tuple<int, int, bool>, QPixmap> drawn_;
};

constexpr char portal_service[] = "org.freedesktop.portal.Desktop";
constexpr char portal_path[] = "/org/freedesktop/portal/desktop";
constexpr char portal_interface[] = "org.freedesktop.portal.Settings";
constexpr char appearance[] = "org.freedesktop.appearance";

}  // namespace

Theme::Theme(QObject* parent) : QObject(parent) {
  QFile file(QStringLiteral(":/palette/palette.json"));
  if (file.open(QIODevice::ReadOnly)) {
    const QJsonObject root = QJsonDocument::fromJson(file.readAll()).object();
    light_ = read_colors(root.value(QLatin1String("light")).toObject());
    dark_colors_ = read_colors(root.value(QLatin1String("dark")).toObject());
  }
  base_ = QApplication::font();
  const QStringList families = QFontDatabase::families();
  if (families.contains(QLatin1String("Inter"))) base_.setFamily(QStringLiteral("Inter"));
  if (base_.pointSizeF() < 9.75) base_.setPointSizeF(9.75);
  qApp->installEventFilter(this);

  // The desktop's wish, asked without waiting: start-up never blocks on the bus.
  QDBusConnection bus = QDBusConnection::sessionBus();
  if (bus.isConnected()) {
    bus.connect(QLatin1String(portal_service), QLatin1String(portal_path), QLatin1String(portal_interface),
                QStringLiteral("SettingChanged"), this, SLOT(portal_changed(QString, QString, QDBusVariant)));
    QDBusMessage ask = QDBusMessage::createMethodCall(QLatin1String(portal_service), QLatin1String(portal_path),
                                                      QLatin1String(portal_interface), QStringLiteral("Read"));
    ask << QLatin1String(appearance) << QStringLiteral("color-scheme");
    auto* watcher = new QDBusPendingCallWatcher(bus.asyncCall(ask), this);
    connect(watcher, &QDBusPendingCallWatcher::finished, this, [this](QDBusPendingCallWatcher* w) {
      const QDBusPendingReply<QDBusVariant> reply = *w;
      if (!reply.isError())
        portal_changed(QLatin1String(appearance), QStringLiteral("color-scheme"), reply.value());
      w->deleteLater();
    });
  }
}

void Theme::portal_changed(const QString& group, const QString& key, const QDBusVariant& value) {
  if (group != QLatin1String(appearance) || key != QLatin1String("color-scheme")) return;
  QVariant v = value.variant();
  if (v.canConvert<QDBusVariant>()) v = v.value<QDBusVariant>().variant();
  portal_scheme_ = v.toInt();
  if (mode_ == ThemeMode::System) apply();
}

void Theme::set_mode(ThemeMode mode) {
  mode_ = mode;
  apply();
}

bool Theme::system_is_dark() const {
  if (portal_scheme_ == 1) return true;
  if (portal_scheme_ == 2) return false;
  return qApp->palette().color(QPalette::Window).lightness() < 128;
}

QColor Theme::color(const char* name) const {
  const auto& colors = dark() ? dark_colors_ : light_;
  return colors.value(QLatin1String(name), QColor(Qt::magenta));
}
QColor Theme::fill(Source s) const { return color(source_name(s)); }
QColor Theme::edge(Source s) const { return color((std::string(source_name(s)) + "_edge").c_str()); }
QColor Theme::text(Source s) const { return color((std::string(source_name(s)) + "_text").c_str()); }
QColor Theme::on(Source s) const { return color((std::string("on_") + source_name(s)).c_str()); }
QColor Theme::zone(Source s) const { return color((std::string(source_name(s)) + "_zone").c_str()); }

int Theme::px(double at_base) const { return qRound(at_base * base_.pointSizeF() / 9.75); }

QFont Theme::font(TextSize size) const {
  double pixels = 13;
  QFont::Weight weight = QFont::Normal;
  switch (size) {
    case TextSize::Step: pixels = 10; weight = QFont::DemiBold; break;
    case TextSize::Caption: pixels = 11; break;
    case TextSize::Chart: pixels = 12; break;
    case TextSize::Body: break;
    case TextSize::CardTitle: weight = QFont::DemiBold; break;
    case TextSize::Sentence: pixels = 18; weight = QFont::DemiBold; break;
    case TextSize::PageTitle: pixels = 20; weight = QFont::DemiBold; break;
    case TextSize::Verdict: pixels = 26; weight = QFont::DemiBold; break;
    case TextSize::Start: pixels = 30; weight = QFont::DemiBold; break;
  }
  QFont f = base_;
  f.setPointSizeF(base_.pointSizeF() * pixels / 13);
  f.setWeight(weight);
  return f;
}

QFont Theme::fixed() const {
  QFont f = QFontDatabase::systemFont(QFontDatabase::FixedFont);
  f.setPointSizeF(base_.pointSizeF() * 12 / 13);
  return f;
}

QByteArray Theme::svg(const QString& name, const QColor& color) const {
  QFile file(QStringLiteral(":/icons/") + name + QStringLiteral(".svg"));
  QByteArray out;
  if (file.open(QIODevice::ReadOnly)) out = file.readAll();
  return out.replace("#000000", color.name().toLatin1());
}

QPixmap Theme::pixmap(const QString& name, const QColor& color, int size, qreal dpr) const {
  QSvgRenderer renderer(svg(name, color));
  QPixmap out(qCeil(size * dpr), qCeil(size * dpr));
  out.fill(Qt::transparent);
  QPainter p(&out);
  renderer.render(&p, QRectF(QPointF(0, 0), QSizeF(out.size())));
  p.end();
  out.setDevicePixelRatio(dpr);
  return out;
}

QIcon Theme::icon(const QString& name, const char* color_name, int size) const {
  return QIcon(new SvgIcon(svg(name, color(color_name)), svg(name, color("disabled")), size));
}

void Theme::set_icon(QAbstractButton* button, const QString& name, const char* color_name) const {
  const auto paint = [this, button, name, color_name] {
    button->setIcon(icon(name, color_name, px(20)));
    button->setIconSize({px(16), px(16)});
  };
  paint();
  connect(this, &Theme::changed, button, paint);
}

void Theme::apply() {
  if (applying_) return;
  applying_ = true;
  if (mode_ == ThemeMode::System) {
    qApp->setPalette(QPalette());  // back to what the desktop says, so that its lightness can be read
    dark_ = system_is_dark();
  } else {
    dark_ = mode_ == ThemeMode::Dark;
  }
  QPalette p;
  const auto set = [&](QPalette::ColorRole role, const char* name) { p.setColor(role, color(name)); };
  set(QPalette::Window, "window");
  set(QPalette::Base, "surface");
  set(QPalette::AlternateBase, "raised");
  set(QPalette::Text, "text");
  set(QPalette::WindowText, "text");
  set(QPalette::ButtonText, "text");
  set(QPalette::PlaceholderText, "text3");
  set(QPalette::Button, "surface");
  set(QPalette::Highlight, "select");
  set(QPalette::HighlightedText, "text");
  set(QPalette::Mid, "line");
  set(QPalette::Dark, "control");
  set(QPalette::Link, "text");
  set(QPalette::ToolTipBase, "ink");
  set(QPalette::ToolTipText, "onInk");
  for (const auto role : {QPalette::Text, QPalette::WindowText, QPalette::ButtonText})
    p.setColor(QPalette::Disabled, role, color("disabled"));
  qApp->setPalette(p);
  qApp->setFont(font(TextSize::Body));
  qApp->setStyleSheet(style_sheet());
  applying_ = false;
  emit changed();
}

bool Theme::eventFilter(QObject* watched, QEvent* event) {
  // Our own palette hides the desktop's change of palette; ThemeChange still arrives.
  if (event->type() == QEvent::ThemeChange && watched->isWindowType() && mode_ == ThemeMode::System && !applying_) apply();
  return QObject::eventFilter(watched, event);
}

}  // namespace kvcliff::ui
