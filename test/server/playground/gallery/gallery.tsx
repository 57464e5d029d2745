/** All pictures on one page, for eyes. `picture-gallery.ts` writes it to a folder, with screenshots. */
import type { ComponentChildren } from 'preact'
import { render } from 'preact'
import { Captures, Way, WhyNot } from '../../../../server/playground/page/pictures/index.js'
import type { Locale } from '#engine'
import type { Fixtures } from '../picture-gallery.js'

function Gallery({ fixtures, locale }: { readonly fixtures: Fixtures; readonly locale: Locale }) {
  const { answers, inspections, rules: graph } = fixtures
  const rules = new Map(graph.map((rule) => [rule.id, rule]))
  const onSelect = (): void => {}
  return (
    <main>
      <Shot name="captures">
        {Object.entries(answers).map(([name, answer]) => (
          <Captures key={name} answer={answer} locale={locale} />
        ))}
      </Shot>
      {Object.entries(answers).map(([name, answer]) => (
        <Shot key={name} name={`way-${name}`}>
          <Way answer={answer} locale={locale} rules={rules} onSelect={onSelect} selected={{ kind: 'rule', id: '5710' }} />
        </Shot>
      ))}
      {inspections.map(({ name, inspection, misses }) => (
        <Shot key={name} name={`why-${name}`}>
          <WhyNot inspection={inspection} nearMisses={misses} locale={locale} onSelect={onSelect} />
        </Shot>
      ))}
    </main>
  )
}

function Shot({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <section class="shot" id={name}>
      <h2>{name}</h2>
      {children}
    </section>
  )
}

const { fixtures, locale } = globalThis as unknown as { readonly fixtures: Fixtures; readonly locale: Locale }
render(<Gallery fixtures={fixtures} locale={locale} />, document.body)
