/** The static fields of events, which decoders set and rules read by name (BEHAVIOUR.md#fields). */
export const STATIC_FIELDS = [
  'srcip',
  'dstip',
  'srcport',
  'dstport',
  'protocol',
  'action',
  'srcuser',
  'dstuser',
  'id',
  'status',
  'url',
  'data',
  'extra_data',
  'system_name',
] as const

export type StaticFieldName = (typeof STATIC_FIELDS)[number]

/** Position of a static field in `Event.statics`. */
export const STATIC_INDEX: Readonly<Record<StaticFieldName, number>> = Object.fromEntries(STATIC_FIELDS.map((name, index) => [name, index])) as Record<StaticFieldName, number>

/** Words of `order` that name a static field; `user` is `dstuser`. Every other word is dynamic. */
export const ORDER_STATIC: ReadonlyMap<string, number> = new Map<string, number>([...STATIC_FIELDS.map((name, index) => [name, index] as const), ['user', STATIC_INDEX.dstuser]])

/** JSON keys that set a static field (BEHAVIOUR.md#json-keys): `system_name` is dynamic there, `systemname` is not; `user` is decided per event. */
export const JSON_STATIC: ReadonlyMap<string, number> = new Map<string, number>([
  ...STATIC_FIELDS.filter((name) => name !== 'system_name').map((name) => [name, STATIC_INDEX[name]] as const),
  ['systemname', STATIC_INDEX.system_name],
])
