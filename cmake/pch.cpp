// SPDX-License-Identifier: GPL-3.0-or-later
// Carrier of the precompiled header; holds no code.
