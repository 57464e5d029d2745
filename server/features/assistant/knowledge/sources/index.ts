/** The table of all built-in sources. */
import { commands } from './commands.js'
import { diagnostics } from './diagnostics.js'
import { documents } from './documents.js'
import { errors } from './errors.js'
import { options } from './options.js'
import { patterns } from './patterns.js'
import { reference } from './reference.js'
import { routes } from './routes.js'
import type { Source } from './source.js'
import { templates } from './templates.js'

export const SOURCES: readonly Source[] = [diagnostics, options, patterns, templates, reference, commands, errors, routes, documents]
