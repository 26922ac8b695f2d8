// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/main_window.h"

#include <QApplication>
#include <QCloseEvent>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QMimeData>
#include <QScreen>
#include <QScrollArea>
#include <QScrollBar>
#include <QSettings>
#include <QStackedWidget>
#include <QStatusBar>
#include <QToolBar>
#include <QUrl>

#include "ui/bridge/evidence.h"
#include "ui/bridge/opener.h"
#include "ui/pages/decide_page.h"
#include "ui/pages/history_page.h"
#include "ui/pages/plan_page.h"
#include "ui/pages/predict_page.h"
#include "ui/pages/reconcile_page.h"
#include "ui/pages/run_page.h"
#include "ui/pages/start_page.h"
#include "ui/theme/plain_text.h"

namespace kvcliff::ui {

namespace {

// Holds the pages inside the scroll area. Without a layout: their wish to be higher where words wrap must not bring a
// scroll bar, only a window that is smaller than the least size does.
class PageHolder : public QWidget {
 public:
  explicit PageHolder(QWidget* parent) : QWidget(parent) {}
  void hold(QStackedWidget* pages, QSize least) {
    pages_ = pages;
    least_ = least;
    setMinimumSize(least);
    QObject::connect(pages, &QStackedWidget::currentChanged, this, [this] { fit(); });
  }

 protected:
  void resizeEvent(QResizeEvent*) override { pages_->setGeometry(rect()); }
  bool event(QEvent* event) override {
    if (event->type() == QEvent::LayoutRequest) fit();
    return QWidget::event(event);
  }

 private:
  // No narrower than the words of the page that is shown.
  void fit() {
    const QWidget* page = pages_ ? pages_->currentWidget() : nullptr;
    if (!page) return;
    const int high = page->property("leastHeight").toInt();
    // The start screen makes do with less.
    const int wide = qobject_cast<const Page*>(page) ? least_.width() : 0;
    setMinimumSize(std::max(wide, page->minimumSizeHint().width()), std::max(least_.height(), high));
  }

  QStackedWidget* pages_ = nullptr;
  QSize least_;
};

}  // namespace

MainWindow::MainWindow(QString resources, QWidget* parent)
    : QMainWindow(parent), resources_(std::move(resources)), theme_(new Theme(this)) {
  new PlainText(this);
  setObjectName(QStringLiteral("mainWindow"));
  const QRect room = screen() ? screen()->availableGeometry() : QRect(0, 0, 1440, 900);
  // A screen at 300 % may have less room than the pages need: then the window scrolls over them.
  setMinimumSize(QSize(1180, 720).boundedTo(room.size() - QSize(0, 40)).expandedTo(QSize(480, 320)));
  resize(QSize(1440, 900).boundedTo(room.size()));
  setAcceptDrops(true);
  theme_->set_mode(static_cast<ThemeMode>(QSettings().value(QStringLiteral("window/theme"), 0).toInt()));

  auto* central = new QWidget(this);
  auto* row = new QHBoxLayout(central);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(0);
  // The rail lies in a tool bar, so that docks end beside it.
  auto* bar = new QToolBar(tr("Pages"), this);
  bar->setObjectName(QStringLiteral("railBar"));
  bar->setMovable(false);
  bar->setStyleSheet(QStringLiteral("QToolBar { border: 0; padding: 0; spacing: 0; margin: 0; }"));
  bar->layout()->setContentsMargins(0, 0, 0, 0);
  rail_ = new Rail(*theme_, bar);
  rail_->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Expanding);
  bar->addWidget(rail_);
  addToolBar(Qt::LeftToolBarArea, bar);
  setContextMenuPolicy(Qt::NoContextMenu);
  auto* scroll = new QScrollArea(central);
  scroll->setObjectName(QStringLiteral("pages.scroll"));
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setFocusPolicy(Qt::NoFocus);
  scroll->setWidgetResizable(true);
  auto* holder = new PageHolder(scroll);
  stack_ = new QStackedWidget(holder);
  holder->hold(stack_, {theme_->px(1080), theme_->px(520)});
  scroll->setWidget(holder);
  row->addWidget(scroll, 1);
  run_.set_resources(resources_);
  setCentralWidget(central);

  // Predict comes up with the reference workload, so that the first cliff is there without a question.
  QString error;
  document_.open_plan(resources_ + QStringLiteral("/plans/reference.json"), &error);

  evidence_ = std::make_unique<Evidence>(document_, resources_);
  const Services services{*theme_, document_, run_, resources_, evidence_.get()};
  auto* start = new StartPage(*theme_, stack_);
  start_ = start;
  connect(start, &StartPage::demonstration, this, &MainWindow::run_demonstration);
  if (const auto demo = plan::parse_file((resources_ + QStringLiteral("/plans/demo.json")).toStdString()); demo.valid()) {
    const auto sessions = plan::schedule(demo.plan);
    qint64 requests = 0;
    for (const auto& s : sessions)
      if (const auto arm = plan::for_arm(demo.plan, s.arm)) requests += plan::request_count(*arm).value_or(0);
    start->describe_demonstration(int(sessions.size()), requests);
  }
  connect(start, &StartPage::measure, this, &MainWindow::measure_my_server);
  connect(start, &StartPage::open_journal, this, &MainWindow::choose_file);
  connect(start, &StartPage::open_recent, this, &MainWindow::open_path);
  stack_->addWidget(start_);
  pages_ = {new PredictPage(services, resources_, stack_), new PlanPage(services, stack_),   new RunPage(services, stack_),
            new ReconcilePage(services, stack_), new DecidePage(services, stack_), new HistoryPage(services, stack_)};
  for (int i = 0; i < PageCount; ++i) {
    Page* p = page(i);
    stack_->addWidget(p);
    connect(p, &Page::result_changed, this,
            [this, i](const QString& text, const QByteArray& color) { rail_->item(i)->set_result(text, color); });
    connect(p, &Page::go_to, this, &MainWindow::show_page);
    connect(p, &Page::status, this, [this](const QString& text) { status_left_->setText(shown(text)); });
  }
  connect(rail_, &Rail::chosen, this, &MainWindow::show_page);
  connect(this, &MainWindow::export_report_asked, this, [this] {
    if (document_.experiment() == 0) return;
    show_page(DecideIndex);
    static_cast<DecidePage*>(page(DecideIndex))->export_report();
  });
  build_menus();
  build_status();
  build_run();
  build_experiment_menu();
  connect(&document_, &Document::plan_changed, this, &MainWindow::update_title);
  connect(&document_, &Document::experiment_changed, this, [this] {
    for (const int i : {RunIndex, ReconcileIndex, DecideIndex}) rail_->item(i)->setEnabled(document_.experiment() != 0);
    if (run_.running()) rail_->item(RunIndex)->setEnabled(true);
    update_title();
    if (wanted_page_ >= 0) show_page(std::exchange(wanted_page_, -1));
  });
  for (const int i : {RunIndex, ReconcileIndex, DecideIndex}) rail_->item(i)->setEnabled(false);
  restore();
  show_start();
  update_title();
}

// The pages go first: a field that loses the focus on the way out still speaks to the document.
MainWindow::~MainWindow() { delete takeCentralWidget(); }

void MainWindow::build_status() {
  status_left_ = new QLabel(tr("No server running"), this);
  status_right_ = new QLabel(this);
  status_left_->setObjectName(QStringLiteral("status.left"));
  status_right_->setObjectName(QStringLiteral("status.right"));
  status_left_->setFont(theme_->font(TextSize::Chart));
  status_right_->setFont(theme_->font(TextSize::Chart));
  statusBar()->addWidget(status_left_, 1);
  statusBar()->addPermanentWidget(status_right_);
  statusBar()->setSizeGripEnabled(false);
  statusBar()->setContentsMargins(10, 0, 10, 0);
}

Page* MainWindow::visible_page() const { return current_ < 0 ? nullptr : page(current_); }

void MainWindow::show_page(int index) {
  if (index < 0 || index >= PageCount || !rail_->item(index)->isEnabled()) return;
  current_ = index;
  rail_->set_current(index);
  stack_->setCurrentWidget(page(index));
  // A page begins where it begins, wherever the one before was scrolled to and whatever of it has the focus.
  if (auto* scroll = findChild<QScrollArea*>(QStringLiteral("pages.scroll")))
    for (QScrollBar* bar : {scroll->horizontalScrollBar(), scroll->verticalScrollBar()}) bar->setValue(0);
}

void MainWindow::show_page_when_ready(int index) {
  if (index >= 0 && index < PageCount && !rail_->item(index)->isEnabled()) wanted_page_ = index;
  else show_page(index);
}

void MainWindow::show_start() {
  current_ = -1;
  rail_->set_current(-1);
  stack_->setCurrentWidget(start_);
  start_->setFocus();
}

void MainWindow::measure_my_server() { show_page(PlanIndex); }

void MainWindow::choose_file() {
  const QString path = QFileDialog::getOpenFileName(
      this, tr("Open a journal, plan, trace, config.json, result or server log"), {},
      tr("KV Cliff files (*.kvcliff *.json *.jsonl *.csv *.log *.gz *.zst);;All files (*)"));
  if (!path.isEmpty()) open_path(path);
}

bool MainWindow::open_path(const QString& path) {
  const Opened opened = open_any(path, document_);
  if (!opened.error.isEmpty()) {
    Page* where = visible_page() ? visible_page() : page(HistoryIndex);
    if (!visible_page()) show_page(HistoryIndex);
    where->strips().show_message(
        {QStringLiteral("open"), StripMessage::Level::Fail, tr("Not opened"), opened.error, {}, {}});
    return false;
  }
  show_page(opened.page);
  return true;
}

void MainWindow::update_title() {
  QString name = tr("KV Cliff");
  if (run_.running() && run_.data())
    name = QFileInfo(run_.data()->journal).fileName() + tr(" (measuring)") + QStringLiteral(" \u2014 ") + name;
  else if (document_.experiment() != 0)
    name = QFileInfo(document_.journal()).fileName() + QStringLiteral(" \u2014 ") + name;
  else if (!document_.plan_path().isEmpty())
    name = QString::fromStdString(document_.plan().name) + (document_.plan_modified() ? QStringLiteral("*") : QString()) +
           QStringLiteral(" \u2014 ") + name;
  // "[*]" would be taken for Qt's mark of unsaved changes.
  setWindowTitle(shown(name).replace(QLatin1String("[*]"), QLatin1String("[*][*]")));
  status_right_->setText(document_.journal().isEmpty() ? QString() : shown(QFileInfo(document_.journal()).fileName()));
}

void MainWindow::set_theme_mode(ThemeMode mode) {
  theme_->set_mode(mode);
  QSettings().setValue(QStringLiteral("window/theme"), static_cast<int>(mode));
}

void MainWindow::restore() {
  const QSettings s;
  restoreGeometry(s.value(QStringLiteral("window/geometry")).toByteArray());
  restoreState(s.value(QStringLiteral("window/state")).toByteArray(), 1);
  if (const QString text = s.value(QStringLiteral("plan/unsaved")).toString(); !text.isEmpty()) {
    const auto parsed = plan::parse_text(text.toStdString(), "unsaved plan");
    if (std::none_of(parsed.faults.begin(), parsed.faults.end(), [](const auto& f) { return f.field.empty(); }))
      document_.set_unsaved(Document::Unsaved{parsed.plan, s.value(QStringLiteral("plan/unsavedPath")).toString()});
    QSettings().remove(QStringLiteral("plan"));
  }
}

namespace {

// The one local file that is dragged; empty: anything else.
QString dragged_file(const QMimeData* data) {
  const QList<QUrl> urls = data ? data->urls() : QList<QUrl>();
  return urls.size() == 1 && urls.first().isLocalFile() ? urls.first().toLocalFile() : QString();
}

}  // namespace

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
  if (!dragged_file(event->mimeData()).isEmpty()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
  const QString path = dragged_file(event->mimeData());
  if (path.isEmpty()) return event->ignore();
  open_path(path);
  event->acceptProposedAction();
}

}  // namespace kvcliff::ui
