/** All pictures on one page, for eyes. `picture-gallery.ts` writes it to a folder, with screenshots. */
import type { ComponentChildren } from 'preact'
import { render } from 'preact'
import { CapturedFields, capturesOf, Costs, TimeLine, Way, WhyNot } from '../../../../server/playground/page/pictures/index.js'
import { AttackMatrix, RuleGraph, RulesetMap } from '../../../../server/playground/page/pictures/ruleset.js'
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
          <CapturedFields key={name} captures={capturesOf(answer)} locale={locale} pointed={null} onPoint={() => {}} />
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
      {Object.entries(fixtures.sequences).map(([name, events]) => (
        <Shot key={name} name={`time-${name}`}>
          <TimeLine events={events} rules={rules} locale={locale} onSelect={onSelect} onSelectEvent={() => {}} selectedEvent={0} />
        </Shot>
      ))}
      <Shot name="costs">
        <Costs times={{ predecode_ms: 0.021, decode_ms: 0.148, rule_ms: 0.302 }} answer={answers.sshd} locale={locale} />
      </Shot>
      {['5710', '5700', '120003', '1'].map((id) => (
        <Shot key={id} name={`graph-${id}`}>
          <RuleGraph rules={graph} focus={{ kind: 'rule', id }} locale={locale} onSelect={onSelect} />
        </Shot>
      ))}
      <Shot name="graph-file">
        <RuleGraph rules={graph} focus={{ kind: 'file', filename: 'harborlock-rules.xml' }} locale={locale} onSelect={onSelect} />
      </Shot>
      <Shot name="map">
        <RulesetMap rules={graph} locale={locale} selected={{ kind: 'rule', id: '5710' }} onSelect={onSelect} />
      </Shot>
      <Shot name="map-many">
        <RulesetMap rules={fixtures.many} locale={locale} onSelect={onSelect} />
      </Shot>
      <Shot name="matrix">
        <AttackMatrix tactics={fixtures.tactics} rules={graph} tested={new Set(fixtures.tested)} locale={locale} onSelectTechnique={() => {}} />
      </Shot>
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
