/** A `noalert` rule matched, none of its children did, and no other rule is final. */
import { defineTip } from '../tip.js'

export const containerWithoutChild = defineTip<{ rule: number; children: number }>({
  id: 'container-without-child',
  applies: ({ outcome: { rule, path }, near, runner: { ruleset } }) => {
    const last = path.at(-1)
    if (rule !== null || last === undefined || !last.definition.noalert) return null
    const [node] = ruleset.rules.placements(last.id)
    // The templates of categories are containers too, and match every event of their category.
    if (node === undefined || node.parent === null) return null
    // The hint about an own rule says what fails in it.
    return near?.isNamed === true ? null : { rule: last.id, children: node.children.length }
  },
  text: {
    'en-US': ({ rule, children }) =>
      `Rule ${rule} matches, but has noalert="1": it is only a container, and ${children === 1 ? 'its only child does not match' : `none of its ${children} children matches`}, so no rule answers.`,
    'pt-BR': ({ rule, children }) =>
      `A regra ${rule} casa, mas tem noalert="1": é só um recipiente, e ${children === 1 ? 'a sua única filha não casa' : `nenhuma das suas ${children} filhas casa`}, então nenhuma regra responde.`,
  },
})
