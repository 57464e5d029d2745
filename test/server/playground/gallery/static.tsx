/** The pictures as HTML without script, for tests. */
import type { VNode } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { CapturedFields, Costs, TimeLine, Way, WhyNot } from '../../../../server/playground/page/pictures/index.js'
import { capturesOf } from '../../../../server/playground/page/pictures/captures-model.js'
import { AttackMatrix, RuleGraph, RulesetMap } from '../../../../server/playground/page/pictures/ruleset.js'
import type { StaticPictures } from '../static-pictures.js'

const toText = (node: VNode): string => renderToString(node)

export * from '../../../../server/playground/page/pictures/captures-model.js'
export * from '../../../../server/playground/page/pictures/excerpt.js'
export * from '../../../../server/playground/page/pictures/json-spans.js'
export * from '../../../../server/playground/page/pictures/rule-graph-model.js'
export * from '../../../../server/playground/page/pictures/ruleset-map-model.js'
export * from '../../../../server/playground/page/pictures/time-line-model.js'
export * from '../../../../server/playground/page/pictures/way-model.js'

export const way: StaticPictures['way'] = (answer, rules, locale) => toText(<Way answer={answer} rules={rules} locale={locale} onSelect={() => {}} />)
export const whyNot: StaticPictures['whyNot'] = (inspection, nearMisses, locale) =>
  toText(<WhyNot inspection={inspection} nearMisses={nearMisses} locale={locale} onSelect={() => {}} />)
export const capturedFields: StaticPictures['capturedFields'] = (answer, locale) =>
  toText(<CapturedFields captures={capturesOf(answer)} locale={locale} pointed={null} onPoint={() => {}} />)
export const timeLine: StaticPictures['timeLine'] = (events, rules, locale) => toText(<TimeLine events={events} rules={rules} locale={locale} />)
export const costs: StaticPictures['costs'] = (times, answer, locale) => toText(<Costs times={times} answer={answer} locale={locale} />)
export const ruleGraph: StaticPictures['ruleGraph'] = (rules, focus, locale) => toText(<RuleGraph rules={rules} focus={focus} locale={locale} onSelect={() => {}} />)
export const rulesetMap: StaticPictures['rulesetMap'] = (rules, locale) => toText(<RulesetMap rules={rules} locale={locale} />)
export const attackMatrixOf: StaticPictures['attackMatrixOf'] = (tactics, rules, tested, locale) =>
  toText(<AttackMatrix tactics={tactics} rules={rules} tested={tested} locale={locale} />)
