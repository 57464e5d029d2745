/** Style of the printable report, and its `Content-Security-Policy`: the page loads and runs nothing. */
import { readStyle } from '../../core/http/text/style.js'

export const REPORT_STYLE = readStyle(new URL('report.css', import.meta.url))

/** `Content-Security-Policy` of the report: only its own style, identified by its hash. */
export const REPORT_POLICY = ["default-src 'none'", `style-src ${REPORT_STYLE.source}`, "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"].join('; ')
