/**
 * Takes a template's XML apart: decoders and rules are files of their own in a ruleset. Only elements at the top are looked at, as a `<group>` also
 * stands within rules.
 *
 *     <decoder>…</decoder>  <!-- about the rules -->  <group>…</group>
 *     ^ decoders           ^ a comment goes with the element that follows it
 */

export interface SplitXml {
  /** Content of a decoder file; null: the template has none. */
  readonly decoders: string | null
  /** Content of a rule file; null: the template has none. */
  readonly rules: string | null
}

/** A comment, or a tag with its attributes, which may hold angle brackets. */
const MARKUP = /<!--[\s\S]*?-->|<(?<close>\/?)(?<name>[A-Za-z_][\w.-]*)(?:"[^"]*"|'[^']*'|[^>"'])*?(?<empty>\/?)>/g

/** @throws RangeError when an element is not closed, or is neither of decoders nor of rules */
export function splitXml(text: string): SplitXml {
  const parts: Record<'decoder' | 'group', string[]> = { decoder: [], group: [] }
  const open: string[] = []
  let begin = 0
  for (const match of text.matchAll(MARKUP)) {
    const { name, close, empty } = match.groups as { readonly name?: string; readonly close?: string; readonly empty?: string }
    if (name === undefined) continue
    if (close === '/') {
      if (open.pop() !== name) throw new RangeError(`</${name}> closes nothing`)
    } else if (empty !== '/') open.push(name)
    if (open.length > 0) continue
    // Variables belong to the rules: those of the catalog have none in decoders.
    const kind = name === 'var' ? 'group' : name
    if (kind !== 'decoder' && kind !== 'group') throw new RangeError(`<${name}> is neither of decoders nor of rules`)
    const end = match.index + match[0].length
    parts[kind].push(text.slice(begin, end).trim())
    begin = end
  }
  if (open.length > 0) throw new RangeError(`<${open[0]}> is not closed`)
  const fileOf = (elements: readonly string[]): string | null => (elements.length === 0 ? null : `${elements.join('\n\n')}\n`)
  return { decoders: fileOf(parts.decoder), rules: fileOf(parts.group) }
}
