/** A rule with frequency counts this event, and needs more of them. */
import { comparedName, comparedNames } from '../compared-fields.js'
import { compositesCounting, findObstacle, isBlocking, nearestFirst, OBSTACLES_LIMIT } from '../composites.js'
import type { ToldRun } from '../tip.js'
import { defineTip } from '../tip.js'

interface Values {
  readonly rule: number
  readonly counted: number
  readonly needed: number
  readonly timeframe: number
  /** Names of the fields that must be equal, or must not be. */
  readonly same: string
  readonly different: string
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
    return { rule: rule.id, counted, needed, timeframe: rule.definition.timeframe, ...comparedNames(runner.ruleset, rule), others }
  }
  return null
}

export const compositeNeedsMore = defineTip<Values>({
  id: 'composite-needs-more',
  applies: valuesOf,
  text: {
    'en-US': ({ rule, counted, needed, timeframe, same, different, others }) => {
      const equal = same === '' ? '' : ` with the same ${same}`
      // How many count depends on the values of the event to come.
      if (different !== '')
        return `Rule ${rule} counts events like this one. It fires on an event that follows ${needed} others${equal} and with another ${different} within ${timeframe} seconds; this one follows ${counted}.`
      const apart = others === null ? '' : ` (${others.count} earlier ones have another "${others.field}")`
      return `Rule ${rule} counts events like this one: ${needed - counted} more${equal} in this session within ${timeframe} seconds, and it fires${apart}.`
    },
    'pt-BR': ({ rule, counted, needed, timeframe, same, different, others }) => {
      const equal = same === '' ? '' : ` com o mesmo ${same}`
      if (different !== '')
        return `A regra ${rule} conta eventos como este. Ela dispara em um evento que vem depois de ${needed} outros${equal} e com outro ${different} em ${timeframe} segundos; este vem depois de ${counted}.`
      const apart = others === null ? '' : ` (${others.count} anteriores têm outro "${others.field}")`
      return `A regra ${rule} conta eventos como este: com mais ${needed - counted}${equal} nesta sessão em ${timeframe} segundos, ela dispara${apart}.`
    },
  },
})
