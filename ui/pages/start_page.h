// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QWidget>

class QLabel;
class QPushButton;
class QVBoxLayout;

namespace kvcliff::ui {

class Theme;

/// The first screen: three ways in, and the journals opened lately.
class StartPage : public QWidget {
  Q_OBJECT
 public:
  explicit StartPage(const Theme& theme, QWidget* parent = nullptr);
  static void remember(const QString& path);   ///< puts a journal on top of the recent list
  static QStringList recent();
  /// What the demonstration's plan will do, so that the words are those of the plan.
  void describe_demonstration(int servers, qint64 requests);

 signals:
  void demonstration(const QString& plan);   ///< of resources/plans: demo, no-help, sweep
  void measure();
  void open_journal();
  void open_recent(const QString& path);

 protected:
  void focusInEvent(QFocusEvent* event) override;
  void showEvent(QShowEvent* event) override;

 private:
  QPushButton* way(const QString& icon, const QString& name, const QString& text, const char* object_name);
  void fill_recent();

  const Theme& theme_;
  QPushButton* first_ = nullptr;
  QLabel* first_words_ = nullptr;
  QVBoxLayout* recent_ = nullptr;
};

}  // namespace kvcliff::ui
