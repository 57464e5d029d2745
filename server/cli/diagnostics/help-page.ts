/** The address of the page about a diagnostic, where somebody has published what `schema --diagnostics` prints: one heading for each code. */
export function helpPage(url: string | null, code: string): string | null {
  return url === null ? null : `${url}#${code}`
}
