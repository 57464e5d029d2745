import type { Texts } from '../texts/index.js'

/** First levels of the classes that have a colour each. */
const CLASSES = [
  { from: 12, name: 'critical' },
  { from: 7, name: 'high' },
  { from: 4, name: 'medium' },
  { from: 0, name: 'low' },
] as const

export function classOfLevel(level: number): string {
  return `level-${CLASSES.find(({ from }) => level >= from)?.name ?? 'low'}`
}

/** The level of a rule: the number says it, the colour repeats it. */
export function Level({ level, texts }: { readonly level: number; readonly texts: Texts }) {
  return (
    <span class={`level ${classOfLevel(level)}`} title={texts.answer.level(level)}>
      {level}
    </span>
  )
}
