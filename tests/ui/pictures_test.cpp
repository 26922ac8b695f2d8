// SPDX-License-Identifier: GPL-3.0-or-later
// Every page as people see it, light and dark, at two sizes: nothing empty, no text cut, no picture blurred. With
// $KVCLIFF_PICTURES the pictures are kept there; those of the README are made so (./dev pictures). ctest runs the small
// screens once more with $QT_SCALE_FACTOR=2.
#include <QAbstractButton>
#include <QAction>
#include <QDir>
#include <QLabel>
#include <QPushButton>
#include <QSet>

#include "ui/bridge/evidence.h"
#include "ui/pages/run_page.h"
#include "ui/support/measured.h"
#include "ui/support/window.h"
#include "ui/widgets/log_dock.h"

namespace kvcliff::ui::test {
namespace {

// One demonstration for all pictures: 114 requests of seven servers.
const QString& demonstration() {
  static QTemporaryDir folder;
  static const QString journal = [] {
    const QString path = folder.filePath(QStringLiteral("demo.kvcliff"));
    (void)cli({QStringLiteral("run"), QStringLiteral(KVCLIFF_SOURCE_DIR "/resources/plans/demo.json"), QStringLiteral("--journal"), path, QStringLiteral("--time-scale"),
               QStringLiteral("0.1"), QStringLiteral("--quiet")});
    return path;
  }();
  return journal;
}

// Labels and buttons whose words do not fit: what a reader would see cut off.
QStringList cut(QWidget* top) {
  QStringList out;
  for (QWidget* w : top->findChildren<QWidget*>()) {
    if (!w->isVisibleTo(top) || w->width() <= 0) continue;
    if (const auto* l = qobject_cast<QLabel*>(w)) {
      if (l->wordWrap() && !l->text().isEmpty() && l->heightForWidth(l->width()) > l->height() + 3)
        out << QStringLiteral("%1 \"%2\": %3 of %4 px high").arg(l->objectName(), l->text()).arg(l->height()).arg(l->heightForWidth(l->width()));
      // Ignored: the label is given what is left, and its owner shortens it or it is the reading of a crosshair.
      if (l->inherits("kvcliff::ui::ElidedLabel") && l->width() >= l->minimumSizeHint().width()) continue;  // says so by "…"
      if (l->text().isEmpty() || l->wordWrap() || l->sizePolicy().horizontalPolicy() == QSizePolicy::Ignored) continue;
      if (l->sizeHint().width() > l->width() + 2) out << QStringLiteral("%1 \"%2\": %3 of %4 px").arg(l->objectName(), l->text()).arg(l->width()).arg(l->sizeHint().width());
    } else if (const auto* b = qobject_cast<QPushButton*>(w)) {
      if (!b->text().isEmpty() && b->sizeHint().width() > b->width() + 2) out << QStringLiteral("button %1 \"%2\": %3 of %4 px").arg(b->objectName(), b->text()).arg(b->width()).arg(b->sizeHint().width());
    }
  }
  return out;
}

// Pictures in labels and on buttons that have fewer pixels than the screen would show.
QStringList blurred(QWidget* top) {
  QStringList out;
  const qreal dpr = top->devicePixelRatioF();
  for (QWidget* w : top->findChildren<QWidget*>()) {
    if (!w->isVisibleTo(top)) continue;
    if (const auto* l = qobject_cast<QLabel*>(w)) {
      const QPixmap p = l->pixmap(Qt::ReturnByValue);
      if (!p.isNull() && p.devicePixelRatio() < dpr) out << QStringLiteral("label %1 in %2: %3 of %4").arg(l->objectName(), l->parentWidget()->objectName()).arg(p.devicePixelRatio()).arg(dpr);
    } else if (const auto* b = qobject_cast<QAbstractButton*>(w); b && !b->icon().isNull()) {
      const QPixmap p = b->icon().pixmap(b->iconSize(), dpr);
      if (p.width() < int(b->iconSize().width() * dpr)) out << QStringLiteral("button %1: %2 px").arg(b->objectName()).arg(p.width());
    }
  }
  return out;
}

// What can be clicked is at least this large, in pixels at 100 %.
QStringList tiny(QWidget* top) {
  QStringList out;
  for (QAbstractButton* b : top->findChildren<QAbstractButton*>())
    if (b->isVisibleTo(top) && !b->objectName().startsWith(QStringLiteral("qt_")) && (b->width() < 16 || b->height() < 16))
      out << QStringLiteral("%1 %2: %3 x %4").arg(QLatin1String(b->metaObject()->className()), b->objectName()).arg(b->width()).arg(b->height());
  return out;
}

int colours(const QImage& image) {
  QSet<QRgb> seen;
  for (int y = 0; y < image.height(); y += 3)
    for (int x = 0; x < image.width(); x += 3) seen.insert(image.pixel(x, y));
  return int(seen.size());
}

struct Shot {
  ThemeMode mode;
  QSize size;
  int font_percent = 100;   // of the desktop's font
};
void PrintTo(const Shot& s, std::ostream* os) {
  *os << (s.mode == ThemeMode::Dark ? "dark" : "light") << s.size.width() << 'x' << s.size.height();
  if (s.font_percent != 100) *os << "font" << s.font_percent;
}

// A desktop whose font is larger, as long as this lives.
class DesktopFont {
 public:
  explicit DesktopFont(int percent) : before_(QApplication::font()) {
    QFont f = before_;
    f.setPointSizeF(f.pointSizeF() * percent / 100);
    QApplication::setFont(f);
  }
  ~DesktopFont() { QApplication::setFont(before_); }

 private:
  QFont before_;
};

class Pictures : public ::testing::TestWithParam<Shot> {};

TEST_P(Pictures, EveryPageIsWholeAndNothingIsCut) {
  const Shot shot = GetParam();
  qputenv("KVCLIFF_EMULATOR", KVCLIFF_BINARY_DIR "/bin/kvcliff-emulator");
  ASSERT_TRUE(QFile::exists(demonstration()));
  const DesktopFont font(shot.font_percent);
  Window w;
  w.window.theme().set_mode(shot.mode);
  w.window.setMinimumSize(480, 320);  // as on a screen that is smaller than the pages
  w.window.resize(shot.size);
  const qreal dpr = w.window.devicePixelRatioF();
  const QString tail = (dpr == 1 ? QString() : QStringLiteral("-%1x").arg(dpr)) + (shot.font_percent == 100 ? QString() : QStringLiteral("-font%1").arg(shot.font_percent)) + QStringLiteral("-%1-%2x%3.png").arg(shot.mode == ThemeMode::Dark ? QStringLiteral("dark") : QStringLiteral("light")).arg(shot.size.width()).arg(shot.size.height());
  const auto take = [&](const char* name) {
    QTest::qWait(150);
    for (int i = 0; i < 5; ++i) QCoreApplication::processEvents();
    const QImage picture = w.window.grab().toImage();
    if (qEnvironmentVariableIsSet("KVCLIFF_PICTURES")) picture.save(qEnvironmentVariable("KVCLIFF_PICTURES") + QLatin1Char('/') + QLatin1String(name) + tail);
    EXPECT_EQ(picture.size(), shot.size * w.window.devicePixelRatioF()) << name;
    EXPECT_GT(colours(picture), 25) << name << " is nearly empty";
    EXPECT_EQ(cut(&w.window).join(QStringLiteral("\n")).toStdString(), "") << name;
    EXPECT_EQ(blurred(&w.window).join(QStringLiteral("\n")).toStdString(), "") << name;
    EXPECT_EQ(tiny(&w.window).join(QStringLiteral("\n")).toStdString(), "") << name;
  };
  take("start");
  ASSERT_TRUE(w.window.open_path(QStringLiteral(KVCLIFF_SOURCE_DIR "/resources/plans/demo.json")));
  w.window.show_page(PredictIndex);
  QTest::qWait(1200);  // the exact curve replaces the bound
  take("predict");
  w.window.show_page(PlanIndex);
  QTest::qWait(700);  // preflight
  take("plan");
  ASSERT_TRUE(w.window.open_path(demonstration()));
  auto* run = static_cast<RunPage*>(w.window.page(RunIndex));
  ASSERT_TRUE(wait([&] { return run->shown() && !w.window.evidence().loading() && w.window.evidence().judged(); }, 60'000));
  w.window.show_page(RunIndex);
  w.window.findChild<QAction*>(QStringLiteral("action.log"))->trigger();
  take("run");
  w.find<LogDock>("logDock")->hide();
  w.window.show_page(ReconcileIndex);
  take("reconcile");
  w.window.show_page(DecideIndex);
  take("decide");
  w.window.show_page(HistoryIndex);
  ASSERT_TRUE(wait([&] { return w.find<QLabel>("history.verdict.gates")->isVisibleTo(&w.window); }, 60'000));
  take("history");
}

INSTANTIATE_TEST_SUITE_P(Looks, Pictures,
                         ::testing::Values(Shot{ThemeMode::Light, {1280, 800}}, Shot{ThemeMode::Dark, {1280, 800}}, Shot{ThemeMode::Light, {1920, 1200}},
                                           Shot{ThemeMode::Dark, {1920, 1200}}, Shot{ThemeMode::Light, {1600, 1000}, 125},
                                           Shot{ThemeMode::Light, {1920, 1200}, 150}),
                         [](const auto& shot) { return ::testing::PrintToString(shot.param); });

// A laptop, and a screen that is smaller than the pages: at 100 % here, at 200 % by a run of its own.
INSTANTIATE_TEST_SUITE_P(SmallScreens, Pictures,
                         ::testing::Values(Shot{ThemeMode::Light, {1280, 800}}, Shot{ThemeMode::Dark, {1280, 800}}, Shot{ThemeMode::Light, {1180, 720}}, Shot{ThemeMode::Light, {1024, 700}}, Shot{ThemeMode::Dark, {1024, 700}}),
                         [](const auto& shot) { return ::testing::PrintToString(shot.param); });

}  // namespace
}  // namespace kvcliff::ui::test
