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
  LineDelegate(const Theme& theme, const LogModel& model, QObject* parent) : QStyledItemDelegate(parent), theme_(theme), model_(model) {}

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
    if (!model_.filter().isEmpty()) {
      QColor mark = theme_.color("notsettled_bg");
      for (qsizetype at = text.indexOf(model_.filter(), 0, Qt::CaseInsensitive), n = 0; at >= 0 && n < 20;
           at = text.indexOf(model_.filter(), at + model_.filter().size(), Qt::CaseInsensitive), ++n)
        p->fillRect(QRect(r.left() + m.horizontalAdvance(text.left(at)), r.top(), m.horizontalAdvance(text.mid(at, model_.filter().size())), r.height()), mark);
    }
    p->setPen(bad ? theme_.color("fail") : theme_.color("text"));
    // What lies beyond the right edge is not laid out at all.
    p->drawText(r, Qt::AlignVCenter | Qt::TextSingleLine, text.left(std::max(8, r.width() / std::max(1, one) + 2)));
  }

 private:
  const Theme& theme_;
  const LogModel& model_;
};

}  // namespace

LogDock::LogDock(const Theme& theme, QWidget* parent) : QDockWidget(tr("Server log"), parent), theme_(theme), model_(new LogModel(this)) {
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
  filter_->setObjectName(QStringLiteral("log.filter"));
  filter_->setAccessibleName(tr("Filter the server log"));
  filter_->setToolTip(tr("Shows only lines that contain these words"));
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
  list_->setItemDelegate(new LineDelegate(theme_, *model_, list_));
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
  connect(&filter_later_, &QTimer::timeout, this, [this] {
    moving_ = true;
    model_->set_filter(filter_->text());
    if (follow_) list_->scrollToBottom();
    moving_ = false;
    update_count();
  });
  connect(&theme, &Theme::changed, list_, [this] { list_->viewport()->update(); });
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
  update_count();
}

void LogDock::clear() {
  waiting_.clear();
  waiting_dropped_ = 0;
  model_->clear();
  set_following(true);
  update_count();
}

void LogDock::update_count() {
  QString words;
  if (!model_->filter().isEmpty())
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
  for (const QModelIndex& i : rows) out << model_->text(i.row());
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
