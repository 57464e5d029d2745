/** The pictures as HTML without script, for tests. */
import type { VNode } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { Captures, Way, WhyNot } from '../../../../server/playground/page/pictures/index.js'
import type { StaticPictures } from '../static-pictures.js'

const toText = (node: VNode): string => renderToString(node)

export * from '../../../../server/playground/page/pictures/captures-model.js'
export * from '../../../../server/playground/page/pictures/excerpt.js'
export * from '../../../../server/playground/page/pictures/json-spans.js'
export * from '../../../../server/playground/page/pictures/way-model.js'

export const way: StaticPictures['way'] = (answer, rules, locale) => toText(<Way answer={answer} rules={rules} locale={locale} onSelect={() => {}} />)
export const whyNot: StaticPictures['whyNot'] = (inspection, nearMisses, locale) =>
  toText(<WhyNot inspection={inspection} nearMisses={nearMisses} locale={locale} onSelect={() => {}} />)
export const captures: StaticPictures['captures'] = (answer, locale) => toText(<Captures answer={answer} locale={locale} />)
