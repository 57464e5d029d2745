/** A `noalert` rule matched, none of its children did, and no other rule is final. */
import { defineTip } from '../tip.js'

export const containerWithoutChild = defineTip<{ rule: number; children: number }>({
  id: 'container-without-child',
  applies: ({ outcome: { rule, path }, runner: { ruleset } }) => {
    const last = path.at(-1)
    if (rule !== null || last === undefined || !last.definition.noalert) return null
    const [node] = ruleset.rules.placements(last.id)
    // The templates of categories are containers too, and match every event of their category.
    return node === undefined || node.parent === null ? null : { rule: last.id, children: node.children.length }
  },
  text: {
    'en-US': ({ rule, children }) => `Rule ${rule} matches, but has noalert="1": it is only a container, and none of its ${children} children matches, so no rule answers.`,
    'pt-BR': ({ rule, children }) => `A regra ${rule} casa, mas tem noalert="1": é só um recipiente, e nenhuma das suas ${children} filhas casa, então nenhuma regra responde.`,
  },
})
