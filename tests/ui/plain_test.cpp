// SPDX-License-Identifier: GPL-3.0-or-later
// Names, messages and engine output that look like markup, or hold control characters, are shown as they are.
#include <QAbstractButton>
#include <QAbstractItemView>
#include <QComboBox>
#include <QHeaderView>
#include <QHelpEvent>
#include <QLabel>
#include <QMessageBox>
#include <QRegularExpression>
#include <QTextBrowser>
#include <QToolTip>

#include "journal/reader.h"
#include "journal/writer.h"
#include "support/written_run.h"
#include "ui/bridge/evidence.h"
#include "ui/models/history_model.h"
#include "ui/pages/history_page.h"
#include "ui/support/window.h"
#include "ui/theme/plain_text.h"
#include "ui/widgets/log_dock.h"
#include "ui/widgets/log_model.h"

namespace kvcliff::ui::test {
namespace {

// Markup, an entity, a bell, an escape sequence and a mark that turns the direction of what follows.
const std::string nasty = "<b>&amp;<img src=x>[*]\x07\x1b[31m\xe2\x80\xae";
const QString nasty_shown = QStringLiteral("<b>&amp;<img src=x>[*]\\x07\\x1b[31m\\u202e");

// Control characters but line ends and tabs, and marks of direction.
bool steers(const QString& s) {
  return std::any_of(s.begin(), s.end(), [](QChar c) {
    const char16_t u = c.unicode();
    return (u < 0x20 && u != '\n' && u != '\t') || (u >= 0x7f && u < 0xa0) || (u >= 0x202a && u <= 0x202e) || (u >= 0x2066 && u <= 0x2069);
  });
}

// The same run as a hostile or careless file would tell it.
void write_nasty(const std::string& path) {
  kvcliff::test::HonestRun run;
  run.in.name = run.in.plan.name = nasty;
  run.in.plan.model.id = nasty;
  for (auto& s : run.in.sessions) {
    s.record.why = nasty;
    s.record.url = "http://127.0.0.1:1/" + nasty;
    s.record.effective.engine_version = nasty;
    s.record.env_set = {{"NAME" + nasty, nasty}};
    for (auto& r : s.requests) {
      r.stream.text = nasty;
      r.stream.why = nasty;
      r.stream.request_id = nasty;
      r.stream.usage.raw = "{\"a\": \"" + nasty + "\"}";
    }
  }
  run.in.sessions.back().record.state = SessionState::failed;
  const auto row = kvcliff::test::write_run(path, run.in, "aaaaaaaaaaaaaaaa", 1'790'000'000'000'000'000);
  auto w = journal::Writer::open(path);
  ASSERT_TRUE(w);
  auto reader = journal::Reader::open(path);
  auto e = *reader->experiment(std::to_string(row));
  e.tags = {nasty, "two"};
  e.note = e.why = e.engine = nasty;
  e.host = Json{{"system", nasty}, {"cpu", nasty}, {"gpus", Json{{"list", Json::array({Json{{"name", nasty}}})}}}};
  (*w)->put(e);
  const auto sessions = *reader->sessions(row);
  for (const auto& s : sessions)
    for (int i = 0; i < 3; ++i) (*w)->put_log(s.id, {{}, false, "INFO " + nasty, false});
  ASSERT_TRUE((*w)->flush());
}

struct PlainTextTest : ::testing::Test {
  Window w;
  int looked_at = 0, with_text = 0;

  // Every text below `top` that Qt could take for more than characters.
  void look(QWidget* top) {
    QList<QWidget*> all = top->findChildren<QWidget*>();
    all << top;
    for (QWidget* x : all) {
      const std::string name = std::string(x->metaObject()->className()) + " " + x->objectName().toStdString();
      ++looked_at;
      for (const QString& s : {x->toolTip(), x->windowTitle(), x->accessibleName(), x->accessibleDescription(), x->statusTip()}) EXPECT_FALSE(steers(s)) << name << ": " << s.toStdString();
      if (const auto* label = qobject_cast<QLabel*>(x)) {
        label->ensurePolished();
        EXPECT_EQ(label->textFormat(), Qt::PlainText) << name << ": " << label->text().toStdString();
        EXPECT_FALSE(steers(label->text())) << name;
        with_text += label->text().contains(QStringLiteral("<b>&amp;<img"));
      } else if (const auto* button = qobject_cast<QAbstractButton*>(x)) {
        EXPECT_FALSE(steers(button->text())) << name;
        // A lone "&" would vanish and underline what follows.
        EXPECT_FALSE(button->text().contains(QStringLiteral("<b>&amp;"))) << name << ": " << button->text().toStdString();
      } else if (const auto* browser = qobject_cast<QTextBrowser*>(x)) {
        EXPECT_FALSE(browser->toHtml().contains(QStringLiteral("<img"))) << name;
      } else if (const auto* box = qobject_cast<QComboBox*>(x)) {
        for (int i = 0; i < box->count(); ++i) EXPECT_FALSE(steers(box->itemText(i))) << name;
      } else if (const auto* view = qobject_cast<QAbstractItemView*>(x); view && view->model() && !qobject_cast<QHeaderView*>(x)) {
        const auto* m = view->model();
        for (int r = 0; r < std::min(200, m->rowCount()); ++r)
          for (int c = 0; c < m->columnCount(); ++c)
            for (const int role : {int(Qt::DisplayRole), int(Qt::ToolTipRole), int(Qt::AccessibleTextRole)}) {
              const QString s = m->index(r, c).data(role).toString();
              EXPECT_FALSE(steers(s)) << name << " row " << r << " column " << c << " role " << role << ": " << s.toStdString();
              with_text += s.contains(QStringLiteral("<b>&amp;<img"));
            }
        for (int c = 0; c < m->columnCount(); ++c) EXPECT_FALSE(steers(m->headerData(c, Qt::Horizontal).toString())) << name;
      }
    }
  }
};

TEST_F(PlainTextTest, EveryTextOfAHostileJournalStandsAsItIs) {
  // A slash parts folders: the rest of the name is as nasty as a file system allows.
  const QString journal = w.folder.filePath(QString::fromStdString(nasty) + QStringLiteral(".kvcliff"));
  write_nasty(journal.toStdString());
  ASSERT_TRUE(w.window.open_path(journal));
  auto& model = static_cast<HistoryPage*>(w.window.page(HistoryIndex))->model();
  ASSERT_TRUE(wait([&] { return model.rowCount() == 1 && (model.row(0).summary.ready || !model.row(0).summary.why.isEmpty()) && w.window.document().experiment() == 1; }));
  ASSERT_TRUE(wait([&] { return !w.window.evidence().loading() && (w.window.evidence().judged() || !w.window.evidence().error().isEmpty()); }));
  EXPECT_EQ(model.data(model.index(0, HistoryModel::Name), Qt::DisplayRole).toString(), nasty_shown);
  auto* log = w.find<LogDock>("logDock");
  log->show();
  ASSERT_TRUE(wait([&] { return log->model().total() == 3; }));
  w.window.document().select_request(20);
  ASSERT_TRUE(wait([&] { return w.window.evidence().detail() && w.window.evidence().detail()->request == 20; }));
  EXPECT_TRUE(w.window.windowTitle().contains(nasty_shown.left(19))) << w.window.windowTitle().toStdString();
  EXPECT_FALSE(steers(w.window.windowTitle()));
  for (int page = 0; page < PageCount; ++page) {
    w.window.show_page(page);
    for (int i = 0; i < 5; ++i) QCoreApplication::processEvents();
    look(&w.window);
  }
  w.window.show_start();
  look(&w.window);
  EXPECT_GT(looked_at, 1000);
  EXPECT_GT(with_text, 20) << "the texts of the journal were on screen";
}

TEST_F(PlainTextTest, ANewLabelAMessageBoxAndATipAreLiteralToo) {
  QLabel label(QString::fromStdString(nasty), &w.window);
  label.show();
  EXPECT_EQ(label.textFormat(), Qt::PlainText);
  QMessageBox box(QMessageBox::NoIcon, QString(), nasty_shown, QMessageBox::Close, &w.window);
  box.show();
  look(&box);
  box.close();
  // Of a widget, and of a cell: both go through the same door.
  label.setToolTip(QStringLiteral("<b>bold</b> &amp; more"));
  QHelpEvent ask(QEvent::ToolTip, QPoint(2, 2), w.window.mapToGlobal(QPoint(2, 2)));
  QCoreApplication::sendEvent(&label, &ask);
  EXPECT_EQ(QToolTip::text(), QStringLiteral("<b>bold</b> &amp; more"));
  QLabel* tip = nullptr;
  const auto windows = QApplication::topLevelWidgets();
  for (QWidget* x : windows)
    if (x->inherits("QTipLabel")) tip = qobject_cast<QLabel*>(x);
  ASSERT_NE(tip, nullptr);
  EXPECT_EQ(tip->textFormat(), Qt::PlainText);
  QToolTip::hideText();
}

TEST_F(PlainTextTest, LongTipsAreBrokenIntoLinesAndNothingIsLost) {
  const QFont font = QToolTip::font();
  const QString words = QStringLiteral("a sentence that goes on and on ").repeated(20).trimmed() + QStringLiteral("\n") + QString(300, QLatin1Char('x'));
  const QString broken = wrapped(words, font, 300);
  const QStringList lines = broken.split(QLatin1Char('\n'));
  for (const QString& line : lines) EXPECT_LE(QFontMetrics(font).horizontalAdvance(line), 310) << line.toStdString();
  QString a = words, b = broken;
  const auto blank = QRegularExpression(QStringLiteral("\\s"));
  EXPECT_EQ(a.remove(blank), b.remove(blank));
  EXPECT_EQ(wrapped(QStringLiteral("short\n\nthree"), font, 300), QStringLiteral("short\n\nthree"));
}

TEST(Shown, IsOneLineOfWhatIsThereAndButtonsKeepTheirAmpersand) {
  EXPECT_EQ(shown(std::string_view(nasty)), nasty_shown);
  EXPECT_EQ(shown(QStringLiteral("two\nlines\tand a tab")), QStringLiteral("two lines and a tab"));
  EXPECT_EQ(shown_lines("two\nlines"), QStringLiteral("two\nlines"));
  EXPECT_EQ(button_text(QStringLiteral("R&D \u00b5s")), QStringLiteral("R&&D \u00b5s"));
}

}  // namespace
}  // namespace kvcliff::ui::test
