/** The output formats of diagnostics. */
import type { DiagnosticsFormat } from './located-diagnostic.js'
import { github } from './github.js'
import { gitlab } from './gitlab.js'
import { json } from './json.js'
import { junit } from './junit.js'
import { pretty } from './pretty.js'
import { sarif } from './sarif.js'

export const DIAGNOSTICS_FORMATS = { pretty, json, sarif, junit, github, gitlab } as const satisfies Record<string, DiagnosticsFormat>
