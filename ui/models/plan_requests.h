// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QAbstractTableModel>
#include <memory>

#include "ui/models/plan_facts.h"

namespace kvcliff::ui {

/// The exact request list of one arm: what is sent, and where its tokens are predicted to come from. Warm-up first.
class PlanRequests : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { Number, Round, Document, TokensColumn, FullBlocks, Distance, GpuHit, HostLoaded, Computed, Why, ColumnCount };
  /// Source::... of a predicted cell, for its colour.
  static constexpr int SourceRole = Qt::UserRole + 1;
  /// Text without separators, for files.
  static constexpr int PlainRole = Qt::UserRole + 2;

  using QAbstractTableModel::QAbstractTableModel;
  void show(std::vector<ListedRequest> requests, std::int64_t block_size);

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  /// The whole table with a header line.
  QString text(QChar separator) const;

 private:
  QVariant shown(const ListedRequest& r, int column, bool plain) const;

  std::vector<ListedRequest> requests_;
  std::int64_t block_size_ = 16;
  int warmups_ = 0;
};

}  // namespace kvcliff::ui
