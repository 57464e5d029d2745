/** A record for each route of the API, made from its declaration. */
import type { TSchema } from 'typebox'
import type { Route } from '../../../../core/http/route.js'
import { lines, listed, recordsOf } from '../record.js'
import type { Source } from './source.js'

export const routes: Source = function* ({ routes: declared, tags }) {
  for (const route of declared) {
    yield* recordsOf(
      { uid: `interface:route.${route.id}`, kind: 'interface', title: `${route.summary} (${route.method} ${route.path})`, locale: null, contextTypes: ['general'] },
      lines(
        route.description,
        `${route.tag}: ${tags[route.tag] ?? ''}`,
        accessOf(route),
        fieldLines('Query', route.query),
        fieldLines('Body', route.body?.schema),
        listed(
          'Responses',
          Object.entries(route.responses).map(([status, { description }]) => `${status}: ${description}`),
        ),
        listed('Errors', route.errors ?? [], ', '),
      ),
    )
  }
}

function accessOf({ access }: Route): string {
  return access.kind === 'permission' ? `Needs the permission ${access.permission}.` : `Access: ${access.kind.replaceAll('_', ' ')}.`
}

/** The top-level fields of a schema. */
function fieldLines(heading: string, schema: TSchema | undefined): string[] {
  const properties = (schema as { readonly properties?: Readonly<Record<string, { readonly description?: string }>> } | undefined)?.properties ?? {}
  const fields = Object.entries(properties).map(([name, { description = '' }]) => `- ${name}: ${description}`)
  return fields.length === 0 ? [] : [`${heading}:`, ...fields]
}
