/** The search for the event that brings an attack to its pattern. It is loaded when somebody asks for the event of a diagnostic. */
export { AttackFinder } from '#engine'
