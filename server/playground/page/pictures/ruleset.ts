/** The pictures of a whole ruleset, and of the surroundings of a rule. */
export { AttackMatrix, type AttackMatrixProps } from './attack-matrix.js'
export type { CoveredTechnique } from '#engine'
export { RuleGraph, type RuleGraphProps } from './rule-graph.js'
export { RulesetMap, type RulesetMapProps } from './ruleset-map.js'
