/** JSON_Decoder (engine-decoding.md 4.9.1): every member of a JSON object becomes a field. */
import { STATIC_INDEX } from '../../event/static-fields.js'
import { flattenJson, unescapeJson } from '../../json/flatten.js'
import type { FlatFields } from '../../json/flatten.js'
import type { PluginContext } from './plugin.js'

export function decodeJson(context: PluginContext): void {
  const { event, reported } = context
  const { definition } = reported
  let from = 0
  switch (definition.plugin?.offset ?? 'none') {
    case 'after_parent':
      // Only a child that was chosen by its own prematch knows where its parent ended.
      if (definition.parent === null) return
      from = context.afterParent
      break
    case 'after_prematch':
      from = context.afterPrematch
      break
    case 'after_regex':
      return
    case 'none':
  }
  const fields = context.flatFields
  if (from < 0 || !flattenJson(event.log, from, context.jsonRoot, { nulls: definition.jsonNull, arrays: definition.jsonArray }, fields)) return
  takeFields(context, fields)
}

/** Hands flattened members to the event: whole names that mean a static field set it, all others are dynamic. */
export function takeFields(context: PluginContext, fields: FlatFields): void {
  const { statics } = context.event
  for (let i = 0; i < fields.count; i++) {
    const path = fields.paths[i]
    const escaped = fields.escaped[i]
    const field = path.staticIndex >= 0 ? path.staticIndex : path.isUser && !statics[STATIC_INDEX.dstuser] ? STATIC_INDEX.dstuser : -1
    if (field >= 0) context.setStatic(field, escaped ? unescapeJson(fields.values[i]) : fields.values[i])
    else context.addDynamic(path.full, path.key, fields.values[i], escaped)
  }
}
