/** Lines of a metric in Prometheus's text format, for parts of the service that count for themselves. */

/** @param lines names with their labels, and values */
export function metricText(name: string, type: 'gauge' | 'counter' | 'histogram', help: string, lines: readonly (readonly [string, number])[]): string {
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.map(([label, value]) => `${label} ${value}\n`).join('')}`
}
