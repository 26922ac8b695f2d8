// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/log_dock.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QPainter>
#include <QPushButton>
#include <QScrollBar>
#include <QStyledItemDelegate>

#include "ui/theme/numbers.h"
#include "ui/theme/theme.h"
#include "ui/widgets/card.h"
#include "ui/widgets/log_model.h"

namespace kvcliff::ui {
namespace {

/// Time, level and text in columns of the fixed font; warnings and errors by colour and by their word.
class LineDelegate : public QStyledItemDelegate {
 public:
  LineDelegate(const Theme& theme, QObject* parent) : QStyledItemDelegate(parent), theme_(theme) {}

  QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override {
    return {200, QFontMetrics(theme_.fixed()).height() + 1};
  }
  void paint(QPainter* p, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    const QString level = index.data(LogModel::LevelRole).toString();
    const QString text = index.data(LogModel::TextRole).toString();
    if (option.state.testFlag(QStyle::State_Selected)) p->fillRect(option.rect, theme_.color("select"));
    const QFont f = theme_.fixed();
    const QFontMetrics m(f);
    const int one = m.horizontalAdvance(QLatin1Char('0'));
    p->setFont(f);
    QRect r = option.rect.adjusted(12, 0, 0, 0);
    p->setPen(theme_.color("text3"));
    p->drawText(r, Qt::AlignVCenter | Qt::TextSingleLine, index.data(LogModel::TimeRole).toString());
    r.setLeft(r.left() + 14 * one);
    const bool bad = level == QLatin1String("ERROR") || level == QLatin1String("CRITICAL");
    const char* color = bad ? "fail" : level == QLatin1String("WARNING") ? "notsettled" : "text2";
    p->setPen(theme_.color(color));
    p->drawText(r, Qt::AlignVCenter | Qt::TextSingleLine, level);
    r.setLeft(r.left() + (level.size() > 6 ? 9 : 6) * one);
    if (const QString words = static_cast<const LogModel*>(index.model())->filter(); !words.isEmpty()) {
      QColor mark = theme_.color("notsettled_bg");
      for (qsizetype at = text.indexOf(words, 0, Qt::CaseInsensitive), n = 0; at >= 0 && n < 20;
           at = text.indexOf(words, at + words.size(), Qt::CaseInsensitive), ++n)
        p->fillRect(QRect(r.left() + m.horizontalAdvance(text.left(at)), r.top(), m.horizontalAdvance(text.mid(at, words.size())), r.height()), mark);
    }
    p->setPen(bad ? theme_.color("fail") : theme_.color("text"));
    // What lies beyond the right edge is not laid out at all.
    p->drawText(r, Qt::AlignVCenter | Qt::TextSingleLine, text.left(std::max(8, r.width() / std::max(1, one) + 2)));
  }

 private:
  const Theme& theme_;
};

}  // namespace

LogDock::LogDock(const Theme& theme, QWidget* parent) : QDockWidget(tr("Server log"), parent), theme_(theme), model_(new LogModel(this)), found_(new LogModel(this)) {
  setObjectName(QStringLiteral("logDock"));
  setAccessibleName(tr("Server log"));
  setFeatures(QDockWidget::DockWidgetClosable);
  setAllowedAreas(Qt::BottomDockWidgetArea);
  auto* head = new QWidget(this);
  head->setObjectName(QStringLiteral("log.header"));
  head->setFixedHeight(theme.px(30));
  auto* row = new QHBoxLayout(head);
  row->setContentsMargins(12, 2, 8, 2);
  row->setSpacing(8);
  auto* icon = new QLabel(head);
  const auto paint = [this, icon] { icon->setPixmap(theme_.pixmap(QStringLiteral("log"), theme_.color("text2"), 14, devicePixelRatioF())); };
  paint();
  connect(&theme, &Theme::changed, icon, paint);
  auto* title = new QLabel(tr("Server log"), head);
  title->setFont(theme.font(TextSize::CardTitle));
  source_ = label(QString(), "secondary", head);
  source_->setObjectName(QStringLiteral("log.source"));
  source_->setFont(theme.font(TextSize::Chart));
  count_ = label(QString(), "caption", head);
  count_->setObjectName(QStringLiteral("log.count"));
  count_->setFont(theme.font(TextSize::Caption));
  filter_ = new QLineEdit(head);
  this->setProperty("help", QStringLiteral("log"));
  filter_->setObjectName(QStringLiteral("log.filter"));
  filter_->setAccessibleName(tr("Filter the server log"));
  filter_->setToolTip(tr("Shows only lines that contain these words; lines that are no longer kept here are searched in the journal"));
  filter_->setPlaceholderText(tr("Filter"));
  filter_->setClearButtonEnabled(true);
  filter_->setFixedWidth(theme.px(180));
  follow_button_ = new QPushButton(tr("Follow"), head);
  follow_button_->setObjectName(QStringLiteral("log.follow"));
  follow_button_->setAccessibleName(tr("Follow the newest line"));
  follow_button_->setToolTip(tr("Keeps the newest line in view; scrolling back pauses it"));
  follow_button_->setCheckable(true);
  follow_button_->setChecked(true);
  follow_button_->setProperty("segment", true);
  follow_button_->setProperty("first", true);
  follow_button_->setProperty("last", true);
  auto* close = new QPushButton(head);
  close->setObjectName(QStringLiteral("log.close"));
  close->setProperty("flat", true);
  close->setAccessibleName(tr("Close the server log"));
  close->setToolTip(tr("Close (Ctrl+L)"));
  theme.set_icon(close, QStringLiteral("cross"));
  row->addWidget(icon);
  row->addWidget(title);
  row->addWidget(source_);
  row->addStretch(1);
  row->addWidget(count_);
  row->addWidget(filter_);
  row->addWidget(follow_button_);
  row->addWidget(close);
  setTitleBarWidget(head);

  list_ = new QListView(this);
  list_->setObjectName(QStringLiteral("log.lines"));
  list_->setAccessibleName(tr("Lines of the server log"));
  list_->setUniformItemSizes(true);
  list_->setSelectionMode(QAbstractItemView::ExtendedSelection);
  list_->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
  list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  list_->setMinimumHeight(theme.px(64));
  list_->setModel(model_);
  list_->setItemDelegate(new LineDelegate(theme_, list_));
  list_->installEventFilter(this);
  setWidget(list_);

  connect(close, &QPushButton::clicked, this, &QWidget::hide);
  connect(follow_button_, &QPushButton::toggled, this, &LogDock::set_following);
  connect(list_->verticalScrollBar(), &QScrollBar::valueChanged, this, [this](int value) {
    if (moving_) return;
    // The user's own movement decides: at the end it follows, anywhere else it waits.
    set_following(value >= list_->verticalScrollBar()->maximum() - 2);
  });
  batch_.setSingleShot(true);
  batch_.setInterval(60);
  connect(&batch_, &QTimer::timeout, this, &LogDock::flush);
  filter_later_.setSingleShot(true);
  filter_later_.setInterval(120);
  connect(filter_, &QLineEdit::textChanged, &filter_later_, qOverload<>(&QTimer::start));
  connect(&filter_later_, &QTimer::timeout, this, &LogDock::apply_filter);
  // New lines of a running server join what a search found, not more often than a reader can follow.
  search_again_.setSingleShot(true);
  search_again_.setInterval(2000);
  connect(&search_again_, &QTimer::timeout, this, [this] { emit search_asked(filter_->text()); });
  connect(&theme, &Theme::changed, list_, [this] { list_->viewport()->update(); });
}

const LogModel& LogDock::shown() const { return static_cast<const LogModel&>(*list_->model()); }

void LogDock::show_model(LogModel* model) {
  if (list_->model() != model) list_->setModel(model);
}

void LogDock::apply_filter() {
  moving_ = true;
  const QString words = filter_->text();
  model_->set_filter(words);
  show_model(model_);
  if (follow_) list_->scrollToBottom();
  moving_ = false;
  emit search_asked(!words.isEmpty() && model_->dropped() > 0 ? words : QString());
  update_count();
}

void LogDock::show_found(const QString& words, const std::vector<LogLine>& lines, qint64 matches, qint64 searched) {
  if (words != filter_->text() || words.isEmpty()) return;
  matches_ = matches;
  searched_ = searched;
  moving_ = true;
  const int at = list_->verticalScrollBar()->value();
  const bool again = list_->model() == found_;
  found_->clear();
  found_->set_filter(words);
  found_->append(lines);
  show_model(found_);
  if (follow_) list_->scrollToBottom();
  else if (again) list_->verticalScrollBar()->setValue(at);
  moving_ = false;
  update_count();
}

void LogDock::show_search_failed(const QString& words, const QString& sentence) {
  if (words != filter_->text() || words.isEmpty()) return;
  count_->setText(tr("only the lines kept here are searched"));
  count_->setToolTip(sentence);
}

void LogDock::set_source(const QString& words) { source_->setText(words); }

void LogDock::append(const std::vector<LogLine>& lines, qint64 dropped) {
  waiting_.insert(waiting_.end(), lines.begin(), lines.end());
  waiting_dropped_ += dropped;
  if (waiting_.size() > LogModel::capacity) {
    const std::size_t out = waiting_.size() - LogModel::capacity;
    waiting_.erase(waiting_.begin(), waiting_.begin() + std::ptrdiff_t(out));
    waiting_dropped_ += qint64(out);
  }
  if (!batch_.isActive()) batch_.start();
}

void LogDock::flush() {
  moving_ = true;
  model_->append(waiting_, waiting_dropped_);
  waiting_.clear();
  waiting_dropped_ = 0;
  if (follow_) list_->scrollToBottom();
  moving_ = false;
  // Lines that went out of the view while a filter was on would be missed without the journal.
  if (!model_->filter().isEmpty() && model_->dropped() > 0 && !search_again_.isActive()) search_again_.start();
  update_count();
}

void LogDock::clear() {
  search_again_.stop();
  found_->clear();
  show_model(model_);
  waiting_.clear();
  waiting_dropped_ = 0;
  model_->clear();
  set_following(true);
  update_count();
}

void LogDock::update_count() {
  QString words;
  count_->setToolTip({});
  if (list_->model() == found_)
    words = matches_ > found_->kept() ? tr("newest %1 of %2 matches in %3 lines").arg(exact(found_->kept()), exact(matches_), exact(searched_))
                                      : tr("%1 of all %2 lines").arg(exact(matches_), exact(searched_));
  else if (!model_->filter().isEmpty())
    words = tr("%1 of %2 lines").arg(exact(model_->rowCount()), exact(model_->kept()));
  else if (model_->dropped() > 0)
    words = tr("newest %1 of %2 lines; the journal has all").arg(exact(model_->kept()), exact(model_->total()));
  else if (model_->kept() > 0)
    words = tr("%1 lines").arg(exact(model_->kept()));
  count_->setText(words);
}

void LogDock::set_following(bool on) {
  if (follow_ == on) return;
  follow_ = on;
  const QSignalBlocker quiet(follow_button_);
  follow_button_->setChecked(on);
  if (!on) return;
  moving_ = true;
  list_->scrollToBottom();
  moving_ = false;
}

void LogDock::focus_filter() {
  show();
  filter_->setFocus();
  filter_->selectAll();
}

void LogDock::copy_selection() {
  QModelIndexList rows = list_->selectionModel()->selectedIndexes();
  std::sort(rows.begin(), rows.end());
  QStringList out;
  for (const QModelIndex& i : rows) out << shown().text(i.row());
  if (!out.isEmpty()) QApplication::clipboard()->setText(out.join(QLatin1Char('\n')));
}

bool LogDock::eventFilter(QObject* watched, QEvent* event) {
  if (watched == list_ && event->type() == QEvent::KeyPress && static_cast<QKeyEvent*>(event)->matches(QKeySequence::Copy)) {
    copy_selection();
    return true;
  }
  return QDockWidget::eventFilter(watched, event);
}

}  // namespace kvcliff::ui
