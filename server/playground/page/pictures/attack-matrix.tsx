/** The matrix of MITRE ATT&CK: for each tactic a square per technique, and the techniques that rules detect. */
import { attackCoverage, type AttackTactic, type CoveredTactic, type CoveredTechnique, type Locale, type RuleGraphNode, type TechniqueState } from '#engine'
import { PICTURE_WORDS, type PictureWords } from './words.js'

export interface AttackMatrixProps {
  /** `attackMatrix()` of the engine. */
  readonly tactics: readonly AttackTactic[]
  readonly rules: readonly RuleGraphNode[]
  /** Ids of the rules that cases cover; null: it is not known. */
  readonly tested?: ReadonlySet<string> | null
  readonly locale: Locale
  /** Called with a technique and its rules. */
  readonly onSelectTechnique?: (technique: CoveredTechnique) => void
}

const SQUARE = 11
const COLUMNS = 15
/** Techniques of a tactic that are listed without asking. */
const LISTED = 6

export function AttackMatrix({ tactics, rules, tested = null, locale, onSelectTechnique }: AttackMatrixProps) {
  const words = PICTURE_WORDS[locale]
  const coverage = attackCoverage(tactics, rules, tested)
  const states: readonly TechniqueState[] = tested === null ? ['rules', 'none'] : ['cases', 'rules', 'none']
  return (
    <div class="pic pic-matrix">
      <p class="pic-legend">
        {states.map((state) => (
          <span key={state}>
            <svg class="pic-key" width="10" height="10" aria-hidden="true" focusable="false">
              <Square state={state} x={0} y={0} />
            </svg>{' '}
            {state === 'cases' ? words.withCase : state === 'rules' ? words.withRule : words.withoutRule}
          </span>
        ))}
      </p>
      <ul class="pic-tactics" aria-label={words.matrix}>
        {coverage.map((tactic) => (
          <Tactic key={tactic.id} tactic={tactic} words={words} hasCases={tested !== null} onSelectTechnique={onSelectTechnique} />
        ))}
      </ul>
    </div>
  )
}

interface TacticProps {
  readonly tactic: CoveredTactic
  readonly words: PictureWords
  readonly hasCases: boolean
  readonly onSelectTechnique?: ((technique: CoveredTechnique) => void) | undefined
}

function Tactic({ tactic: { name, techniques, covered }, words, hasCases, onSelectTechnique }: TacticProps) {
  const rows = Math.ceil(techniques.length / COLUMNS)
  const found = techniques.filter(({ state }) => state !== 'none').sort((a, b) => b.rules.length - a.rules.length)
  const row = (technique: CoveredTechnique) => (
    <li key={technique.id} title={technique.subTechniques.join(', ')}>
      {onSelectTechnique === undefined ? (
        <span class="pic-name">{technique.id}</span>
      ) : (
        <button type="button" class="pic-name pic-choice" onClick={() => onSelectTechnique(technique)}>
          {technique.id}
        </button>
      )}
      <span class="pic-description">{technique.name}</span>
      <span class="pic-quiet">
        {words.rules(technique.rules.length)}
        {hasCases && technique.tested > 0 && ` · ${words.tested(technique.tested)}`}
      </span>
    </li>
  )
  return (
    <li class="pic-tactic">
      <p class="pic-line">
        <strong>{name}</strong>
        <span class="pic-quiet">{words.techniquesOf(covered, techniques.length)}</span>
      </p>
      <svg width={COLUMNS * SQUARE} height={rows * SQUARE} aria-hidden="true" focusable="false">
        {techniques.map(({ id, state, name: technique }, index) => (
          <g key={id}>
            <title>{`${id} ${technique}`}</title>
            <Square state={state} x={(index % COLUMNS) * SQUARE} y={Math.floor(index / COLUMNS) * SQUARE} />
          </g>
        ))}
      </svg>
      {found.length > 0 && <ul class="pic-rows">{found.slice(0, LISTED).map(row)}</ul>}
      {found.length > LISTED && (
        <details class="pic-rest">
          <summary>{words.more(found.length - LISTED)}</summary>
          <ul class="pic-rows">{found.slice(LISTED).map(row)}</ul>
        </details>
      )}
    </li>
  )
}

/** Empty, half or full, so that the colour is not needed. */
function Square({ state, x, y }: { readonly state: TechniqueState; readonly x: number; readonly y: number }) {
  return (
    <>
      <rect class={`pic-technique pic-technique-${state === 'none' ? 'none' : 'rules'}`} x={x + 0.5} y={y + 0.5} width={SQUARE - 2} height={SQUARE - 2} rx="1.5" />
      {state === 'cases' && <circle class="pic-technique-tested" cx={x + SQUARE / 2 - 0.5} cy={y + SQUARE / 2 - 0.5} r="2.2" />}
    </>
  )
}
