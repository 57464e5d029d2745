/** The pictures of the playground: components that are pure in their properties. `pictures.css` is their style. */
export { Captures, type CapturesProps } from './captures.js'
export type { Selection } from './selection.js'
export { Way, type WayProps } from './way.js'
export { WhyNot, type WhyNotProps } from './why-not.js'
