#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Replaces libraries that libcurl links for protocols never used here (LDAP, RTMP, Kerberos) by empty ones with the same
# symbols, and drops what only those needed: a bundle of 8.6 MB becomes one of 6 MB.   slim.sh LIB_FOLDER PROGRAM
set -euo pipefail
lib=$1 program=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
empty() { # SONAME PATTERN VERSION
  [ -e "$lib/$1" ] || return 0
  nm -D --undefined-only "$lib"/libcurl.so.4 "$lib"/libzmq.so.5 2>/dev/null | awk '{print $2}' | sed 's/@.*//' | grep -E "$2" | sort -u >"$work/names"
  sed 's/.*/void &(void) {}/' "$work/names" >"$work/a.c"
  { echo "${3:-NONE} { global:"; sed 's/$/;/' "$work/names"; echo '};'; } >"$work/map"
  gcc -w -shared -fPIC -fno-builtin -s -o "$lib/$1" -Wl,-soname,"$1" ${3:+-Wl,--version-script="$work/map"} "$work/a.c"
}
empty librtmp.so.1 '^RTMP_' ''
empty libldap-2.5.so.0 '^ldap_' OPENLDAP_2.5
empty liblber-2.5.so.0 '^ber_' OPENLDAP_2.5
empty libgssapi_krb5.so.2 '^(gss_|GSS_)' gssapi_krb5_2_MIT
# Only what the program still loads stays.
ldd "$program" | awk -v d="$(realpath "$lib")/" '{ for (i = 1; i <= NF; i++) if ($i ~ /^\//) print $i }' | while read -r p; do realpath "$p"; done >"$work/kept"
for f in "$lib"/*; do grep -qxF "$(realpath "$f")" "$work/kept" || rm "$f"; done
