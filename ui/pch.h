// SPDX-License-Identifier: GPL-3.0-or-later
// What nearly every file of the window includes, compiled once.
#pragma once
#include <QBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QString>
#include <QVector>
#include <QWidget>
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>
