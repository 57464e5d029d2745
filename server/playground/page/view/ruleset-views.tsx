/** The graph around a rule, the map of all rules, the matrix of techniques, the audit and the differences. */
import type { ComponentChild } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { RuleGraphNode } from '#engine'
import { type GraphFocus, Level, PICTURE_WORDS, type Selection } from '../pictures/index.js'
import { AttackMatrix, type CoveredTechnique, RuleGraph, RulesetMap } from '../pictures/ruleset.js'
import { AuditView } from './audit-view.js'
import { CaseGradeView } from './case-grade-view.js'
import { DifferencesView } from './differences-view.js'
import { Icon } from './icons.js'
import { OpenRuleButton } from './open-rule-button.js'
import type { ViewName } from '../model/state.js'
import type { ViewsProps } from './views-dialog.js'

/** Groups that are shown at once. */
const FIRST_GROUPS = 8
/** Rules of a technique that are listed. */
const LISTED = 200

export function RulesetViews(props: ViewsProps) {
  const View = VIEWS[props.views.shown]
  return <View {...props} />
}

function GraphView(props: ViewsProps) {
  const { page, state, views, ruleset } = props
  const { focus } = views
  const rule = focus?.kind === 'rule' ? ruleset.byId.get(focus.id) : undefined
  return (
    <>
      <FocusForm {...props} />
      {rule !== undefined && <RuleCard {...props} rule={rule} />}
      {focus !== null && (
        <RuleGraph
          rules={ruleset.rules}
          focus={focus}
          locale={state.locale}
          selected={focus.kind === 'rule' ? focus : null}
          onSelect={(selection) => selection.kind === 'rule' && page.views.open('graph', selection)}
        />
      )}
    </>
  )
}

/** Chooses a rule or a file. */
function FocusForm({ page, texts, views, ruleset }: ViewsProps) {
  const [written, setWritten] = useState('')
  const { views: words } = texts
  const files = useMemo(() => {
    const own = new Set(ruleset.rules.flatMap(({ filename, scope }) => (scope === 'custom' ? [filename] : [])))
    return [...own, ...new Set(ruleset.rules.flatMap(({ filename }) => (own.has(filename) ? [] : [filename])))]
  }, [ruleset])
  const { focus } = views
  return (
    <form
      class="view-form"
      onSubmit={(submit) => {
        submit.preventDefault()
        page.views.open('graph', { kind: 'rule', id: written.trim() })
      }}
    >
      <input
        type="text"
        class="short"
        inputMode="numeric"
        value={written}
        aria-label={texts.why.rule}
        placeholder={texts.why.rule}
        onInput={({ currentTarget: { value } }) => setWritten(value)}
      />
      <button type="submit" class="button" disabled={!/^\d{1,6}$/.test(written.trim())}>
        {texts.why.show}
      </button>
      <select
        aria-label={words.file}
        value={focus?.kind === 'file' ? focus.filename : ''}
        onChange={({ currentTarget: { value } }) => value !== '' && page.views.open('graph', { kind: 'file', filename: value })}
      >
        <option value="">{words.file}</option>
        {files.map((filename) => (
          <option key={filename} value={filename}>
            {filename}
          </option>
        ))}
      </select>
      {focus?.kind === 'group' && <span class="muted">{words.group(focus.name)}</span>}
    </form>
  )
}

/** A rule with what leads on from it. */
function RuleCard({ page, state, texts, views, rule }: ViewsProps & { readonly rule: RuleGraphNode }) {
  const { id, level, description, filename, line, groups, attack_ids: techniques } = rule
  const box = useRef<HTMLDivElement>(null)
  const [whole, setWhole] = useState<string | null>(null)
  const shown = whole === id ? groups : groups.slice(0, FIRST_GROUPS)
  useEffect(() => {
    // What had the focus is drawn elsewhere now, or not at all.
    if (document.activeElement === document.body) box.current?.focus()
  }, [id])
  const selection: Selection = { kind: 'rule', id }
  return (
    <div ref={box} class="rule-card" tabIndex={-1}>
      <p class="rule-card-title">
        <Level level={level} words={PICTURE_WORDS[state.locale]} />
        <strong>{id}</strong>
        <span>{description}</span>
      </p>
      <ul class="tags" aria-label={texts.answer.groups}>
        {techniques.map((technique) => (
          <li key={technique} class="tag attack">
            {technique}
          </li>
        ))}
        {shown.map((group) => (
          <li key={group}>
            <button type="button" class="tag more" onClick={() => page.views.open('graph', { kind: 'group', name: group })}>
              {group}
            </button>
          </li>
        ))}
        {shown.length < groups.length && (
          <li>
            <button type="button" class="tag more" onClick={() => setWhole(id)}>
              {texts.answer.moreGroups(groups.length - shown.length)}
            </button>
          </li>
        )}
      </ul>
      <div class="rule-card-actions">
        <OpenRuleButton page={page} filename={filename} line={line} />
        {state.selectedEvent !== null && (
          <button type="button" class="button" onClick={() => page.events.inspect(selection)}>
            {texts.why.title}
          </button>
        )}
        {views.shown !== 'graph' && (
          <button type="button" class="button" onClick={() => page.views.open('graph', selection)}>
            <Icon name="graph" />
            {texts.views.graph}
          </button>
        )}
      </div>
    </div>
  )
}

function MapView(props: ViewsProps) {
  const { page, state, views, ruleset } = props
  const selected = views.focus?.kind === 'rule' ? views.focus : null
  const rule = selected === null ? undefined : ruleset.byId.get(selected.id)
  return (
    <>
      <RulesetMap rules={ruleset.rules} locale={state.locale} selected={selected} onSelect={(selection) => page.views.open('map', selection as GraphFocus)} />
      {rule !== undefined && <RuleCard {...props} rule={rule} />}
    </>
  )
}

function AttackView({ page, state, texts, ruleset }: ViewsProps) {
  const { outcomes } = state
  const [technique, setTechnique] = useState<CoveredTechnique | null>(null)
  const tested = useMemo(() => new Set([...outcomes.values()].flatMap(({ covered_rules: rules }) => rules)), [outcomes])
  return (
    <>
      {technique !== null && (
        <div class="rule-card" aria-live="polite">
          <p class="rule-card-title">
            <strong>{technique.id}</strong>
            <span>{technique.name}</span>
            <span class="space" />
            <button type="button" class="button quiet icon-only" aria-label={texts.actions.close} title={texts.actions.close} onClick={() => setTechnique(null)}>
              <Icon name="close" />
            </button>
          </p>
          <ul class="technique-rules">
            {technique.rules.slice(0, LISTED).map((id) => (
              <li key={id}>
                <button type="button" class="link-button" onClick={() => page.views.open('graph', { kind: 'rule', id })}>
                  {id}
                </button>{' '}
                {ruleset.byId.get(id)?.description}
              </li>
            ))}
            {technique.rules.length > LISTED && <li class="muted">{texts.answer.moreGroups(technique.rules.length - LISTED)}</li>}
          </ul>
        </div>
      )}
      <AttackMatrix tactics={ruleset.tactics} rules={ruleset.rules} tested={tested} locale={state.locale} onSelectTechnique={setTechnique} />
    </>
  )
}

const VIEWS: Readonly<Record<ViewName, (props: ViewsProps) => ComponentChild>> = {
  graph: GraphView,
  map: MapView,
  attack: AttackView,
  audit: AuditView,
  cases: CaseGradeView,
  differences: DifferencesView,
}
