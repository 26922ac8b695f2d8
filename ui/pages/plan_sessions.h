// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QWidget>
#include <memory>

#include "ui/models/plan_facts.h"

namespace kvcliff::ui {

class Theme;

/// The sessions of a plan in the order in which they run: a card each, pairs bracketed, and below each card one square a
/// request in the colour of its largest predicted source. One is selected, by mouse or with the arrow keys.
class PlanSessions : public QWidget {
  Q_OBJECT
 public:
  PlanSessions(const Theme& theme, QWidget* parent = nullptr);
  /// Selects the first session with the tier until another one is chosen, and again when the schedule becomes another
  /// one. `facts` must outlive the next call.
  void show_facts(const PlanFacts* facts);
  int selected() const { return selected_; }
  void select(int session);
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return {200, sizeHint().height()}; }

 signals:
  void chosen(int session);

 protected:
  void paintEvent(QPaintEvent*) override;
  void mousePressEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  bool event(QEvent* event) override;

 private:
  std::vector<QRectF> cards() const;
  QString name_of(const std::string& arm) const;
  void paint_card(QPainter& p, const QRectF& card, int i) const;
  void paint_requests(QPainter& p, const QRectF& card, const ArmFacts& arm) const;
  void paint_brackets(QPainter& p, const std::vector<QRectF>& cards) const;

  const Theme& theme_;
  const PlanFacts* facts_ = nullptr;
  std::vector<std::string> arms_;     ///< of the sessions shown
  int selected_ = 0;
  bool words_fit_ = true;             ///< "18 requests" and the time have room in every card
  bool names_fit_ = true;             ///< "offload off" has
  bool chosen_by_hand_ = false;       ///< else the first session with the tier is selected
};

}  // namespace kvcliff::ui
