/** A schema as a table with one row per field. Fields of nested objects follow, as `input.event` and `files[].filename`. Arbitrary names are `*`. */
import { html, type Markup } from '../../core/http/text/html.js'
import { nameOf, type Schema } from './description.js'
import type { Links } from './links.js'
import { inline } from './markdown.js'

/** The fields of a schema; for a union of objects one table for each. A named schema is a link. */
export function schemaTable(schema: Schema, links: Links): Markup {
  const objects = schema.anyOf?.filter(({ properties }) => properties !== undefined) ?? []
  if (objects.length > 1) return html`${objects.map((one) => html`<p>${inline(one.description ?? '')}</p>\n${schemaTable(one, links)}`)}`
  const rows = rowsOf(schema, '', links)
  if (rows.length === 0) return html`<p>${typeOf(schema, links)} ${notesOf(schema)}</p>\n`
  const heading = schema.type === 'array' ? html`<p>${typeOf(schema, links)} ${notesOf(schema)}</p>\n` : html``
  return html`${heading}<table class="fields">
<thead><tr><th scope="col">Field</th><th scope="col">Type</th><th scope="col">Meaning</th></tr></thead>
<tbody>
${rows}</tbody>
</table>
`
}

function rowsOf(schema: Schema, path: string, links: Links): Markup[] {
  const { object, prefix } = within(schema, path)
  if (object === null) return []
  const { properties = {}, required = [], additionalProperties } = object
  const rows = Object.entries(properties).flatMap(([name, field]) => [row(`${prefix}${name}`, required.includes(name), field, links), ...rowsOf(field, `${prefix}${name}`, links)])
  if (typeof additionalProperties !== 'object') return rows
  // The type of arbitrary fields is shown at the object itself.
  return [...rows, ...rowsOf(additionalProperties, `${prefix}*`, links)]
}

/** The object in a schema: itself, the items of its lists, or its non-null part; and the prefix of its field names. */
function within(schema: Schema, path: string): { readonly object: Schema | null; readonly prefix: string } {
  if (schema.items !== undefined) return within(schema.items, `${path}[]`)
  const branch = schema.anyOf?.find(({ type }) => type === 'object' || type === 'array')
  if (branch !== undefined) return within(branch, path)
  const isOpen = schema.properties === undefined && typeof schema.additionalProperties !== 'object'
  return { object: schema.type === 'object' && !isOpen ? schema : null, prefix: path === '' ? '' : `${path}.` }
}

function row(path: string, isRequired: boolean, schema: Schema, links: Links): Markup {
  const badges = [isRequired ? html`` : html` <span class="quiet">optional</span>`, schema.deprecated === true ? html` <span class="deprecated">deprecated</span>` : html``]
  return html`<tr><td><code>${path}</code>${badges}</td><td>${typeOf(schema, links)}</td><td>${inline(schema.description ?? '')} ${notesOf(schema)}</td></tr>\n`
}

/** Describes the type in words, with links to named schemas. */
export function typeOf(schema: Schema, links: Links): Markup {
  if (schema.$ref !== undefined) {
    const name = nameOf({ $ref: schema.$ref })
    return html`<a href="${links.schema(name)}">${name}</a>`
  }
  if (schema.anyOf !== undefined)
    return joined(
      schema.anyOf.map((one) => typeOf(one, links)),
      ' or ',
    )
  if (schema.items !== undefined) return html`list of ${typeOf(schema.items, links)}`
  if (schema.const !== undefined) return html`<code>${JSON.stringify(schema.const)}</code>`
  if (schema.type === 'object' && typeof schema.additionalProperties === 'object') return html`object of ${typeOf(schema.additionalProperties, links)}`
  return html`${schema.type ?? (schema.enum === undefined ? 'any' : 'string')}`
}

/** Describes limits, choices and default, one sentence each. */
export function notesOf(schema: Schema): Markup {
  const branch = schema.anyOf?.find(({ type, $ref }) => type !== 'null' && $ref === undefined) ?? {}
  const { enum: choices, format, pattern, minLength, maxLength, minimum, maximum, minItems, maxItems, maxProperties, default: fallback } = { ...branch, ...schema }
  const notes = [
    choices === undefined
      ? null
      : html`One of ${joined(
          choices.map((choice) => html`<code>${String(choice)}</code>`),
          ', ',
        )}.`,
    format === undefined ? null : html`Format <code>${format}</code>.`,
    range(minLength, maxLength, 'characters'),
    range(minimum, maximum, ''),
    range(minItems, maxItems, 'entries'),
    range(undefined, maxProperties, 'fields'),
    pattern === undefined ? null : html`Pattern <code>${pattern}</code>.`,
    fallback === undefined ? null : html`Default <code>${JSON.stringify(fallback)}</code>.`,
  ].filter((note) => note !== null)
  const items = schema.items === undefined || schema.items.$ref !== undefined ? null : notesOf(schema.items)
  if (notes.length === 0) return items ?? html``
  return html`<span class="notes">${joined(notes, ' ')}</span>${items === null ? '' : html` ${items}`}`
}

function range(min: number | undefined, max: number | undefined, unit: string): Markup | null {
  const number = (value: number): string => value.toLocaleString('en-US')
  const what = unit === '' ? '' : ` ${unit}`
  if (max === undefined) return min === undefined || min === 0 ? null : html`At least ${number(min)}${what}.`
  return min === undefined || (min === 0 && unit !== '') ? html`At most ${number(max)}${what}.` : html`${number(min)} to ${number(max)}${what}.`
}

function joined(parts: readonly Markup[], separator: string): Markup {
  return html`${parts.map((part, index) => (index === 0 ? part : html`${separator}${part}`))}`
}
