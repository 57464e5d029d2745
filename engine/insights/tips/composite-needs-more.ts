/** A rule with frequency counts this event, and needs more of them. */
import { comparedName, type ComparedNames, comparedNames } from '../compared-fields.js'
import { compositesCounting, findObstacle, isBlocking, nearestFirst, OBSTACLES_LIMIT } from '../composites.js'
import type { ToldRun } from '../tip.js'
import { defineTip } from '../tip.js'

interface Values extends ComparedNames {
  readonly rule: number
  readonly counted: number
  readonly needed: number
  readonly timeframe: number
  /** Earlier events that do not count because this field differs. */
  readonly others: { readonly count: number; readonly field: string } | null
}

function valuesOf(run: ToldRun): Values | null {
  const { session, near, runner } = run
  if (session === null) return null
  for (const pending of nearestFirst(compositesCounting(run), near).slice(0, OBSTACLES_LIMIT)) {
    const obstacle = findObstacle(run, pending)
    if (isBlocking(obstacle)) continue
    const { rule, counted, needed } = pending
    const others = obstacle === null ? null : { count: obstacle.count, field: comparedName(runner.ruleset, rule, obstacle.compared.kind, obstacle.compared.of) }
    return { rule: rule.id, counted, needed, timeframe: rule.definition.timeframe, ...comparedNames(run, rule), others }
  }
  return null
}

export const compositeNeedsMore = defineTip<Values>({
  id: 'composite-needs-more',
  applies: valuesOf,
  text: {
    'en-US': ({ rule, counted, needed, timeframe, same, different, absent, others }) => {
      const equal = same === '' ? '' : ` with the same ${same}`
      const uncompared = absent === '' ? '' : ` It compares ${absent} as well, which this event does not have, so any event counts as different there.`
      // How many count depends on the values of the event to come.
      if (different !== '')
        return `Rule ${rule} counts events like this one. It fires on an event that follows ${needed} others${equal} and with another ${different} within ${timeframe} seconds; this one follows ${counted}.${uncompared}`
      const apart = others === null ? '' : others.count === 1 ? ` (an earlier one has another "${others.field}")` : ` (${others.count} earlier ones have another "${others.field}")`
      return `Rule ${rule} counts events like this one: ${needed - counted} more${equal} in this session within ${timeframe} seconds, and it fires${apart}.${uncompared}`
    },
    'pt-BR': ({ rule, counted, needed, timeframe, same, different, absent, others }) => {
      const equal = same === '' ? '' : ` com o mesmo ${same}`
      const uncompared = absent === '' ? '' : ` Ela compara também ${absent}, que este evento não tem, então ali qualquer evento conta como diferente.`
      if (different !== '')
        return `A regra ${rule} conta eventos como este. Ela dispara em um evento que vem depois de ${needed} outros${equal} e com outro ${different} em ${timeframe} segundos; este vem depois de ${counted}.${uncompared}`
      const apart = others === null ? '' : others.count === 1 ? ` (um anterior tem outro "${others.field}")` : ` (${others.count} anteriores têm outro "${others.field}")`
      return `A regra ${rule} conta eventos como este: com mais ${needed - counted}${equal} nesta sessão em ${timeframe} segundos, ela dispara${apart}.${uncompared}`
    },
  },
})
