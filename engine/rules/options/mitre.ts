/** `<mitre>`: technique ids, or pairs of tactic and technique. A wrong block is dropped. */
import { nonEmptySetOf } from '../../expressions/meaning.js'
import { append } from '../../source/append.js'
import type { XmlElement } from '../../xml/node.js'
import type { RuleReader } from '../parse.js'
import type { OtherOption } from './option.js'

/** Technique ids in order, or pairs of tactic and technique. */
export type MitreReferences =
  | { readonly form: 'ids'; readonly ids: readonly string[] }
  | { readonly form: 'pairs'; readonly pairs: readonly { readonly tactic: string; readonly technique: string }[] }

export const mitre: OtherOption = {
  name: 'mitre',
  part: 'metadata',
  repeat: 'each',
  help: {
    'en-US': 'ATT&CK techniques: either id elements, or one tacticID with one techniqueID.',
    'pt-BR': 'Técnicas ATT&CK: elementos id, ou um tacticID com um techniqueID.',
  },
  attributes: [],
  values: [],
  children: ['id', 'tacticID', 'techniqueID'],
  examples: [
    { xml: '<mitre><id>T1110</id></mitre>', matches: ['hello'], answer: { attack_ids: ['T1110'] } },
    { xml: '<mitre><tacticID>TA0006</tacticID><techniqueID>T1110</techniqueID></mitre>', matches: ['hello'], answer: { attack_ids: ['T1110'] } },
  ],
  read: readMitre,
  meaning: ({ mitre: references }) => nonEmptySetOf(references.form === 'ids' ? references.ids : references.pairs.map((pair) => JSON.stringify(pair))),
}

function readMitre(reader: RuleReader, element: XmlElement): void {
  const { draft } = reader
  if (element.children.length === 0) {
    reader.report('mitre_block_empty', element, {})
    return
  }
  const ids: string[] = []
  const tactics: string[] = []
  const techniques: string[] = []
  let isWrong = false
  for (const child of element.children) {
    const name = child.name.toLowerCase()
    if (name !== 'id' && name !== 'tacticid' && name !== 'techniqueid') {
      reader.report('mitre_option_invalid', child, { name: child.name }, { known: ['id', 'tacticID', 'techniqueID'] })
      isWrong = true
    } else if (child.content === '') {
      reader.report('mitre_id_empty', child, { name: child.name })
      isWrong = true
    } else if (name === 'id') ids.push(child.content)
    else if (name === 'tacticid') tactics.push(child.content)
    else techniques.push(child.content)
  }
  if (isWrong) return
  const pair = tactics.length + techniques.length > 0
  if (ids.length > 0 && pair) {
    reader.report('mitre_mixed_format', element, {})
    return
  }
  if (tactics.length > 1 || techniques.length > 1) {
    reader.report('mitre_too_many', element, {})
    return
  }
  if (pair && techniques.length === 0) {
    reader.report('mitre_technique_missing', element, {})
    return
  }
  if (pair && tactics.length === 0) {
    reader.report('mitre_tactic_missing', element, {})
    return
  }
  if (!pair) {
    if (draft.mitre.form === 'pairs' && draft.mitre.pairs.length > 0) {
      reader.report('mitre_mixed_format', element, {})
      return
    }
    for (const id of ids) if (isNew(reader, id)) draft.mitre = { form: 'ids', ids: append(draft.mitre.form === 'ids' ? draft.mitre.ids : [], id) }
    return
  }
  // A pair after ids: the ids are lost, the pair is kept.
  if (draft.mitre.form === 'ids' && draft.mitre.ids.length > 0) reader.report('mitre_mixed_format', element, {})
  if (draft.mitre.form === 'ids') reader.mitreSeen.clear()
  const added = { tactic: tactics[0], technique: techniques[0] }
  if (isNew(reader, JSON.stringify([added.tactic, added.technique]))) draft.mitre = { form: 'pairs', pairs: append(draft.mitre.form === 'pairs' ? draft.mitre.pairs : [], added) }
}

/** Whether the reference was not in an earlier block. */
function isNew({ mitreSeen }: RuleReader, reference: string): boolean {
  if (mitreSeen.has(reference)) return false
  mitreSeen.add(reference)
  return true
}
