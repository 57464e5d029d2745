import type { PluginName } from '../../event/decoder.js'
import { decodeJson } from './json.js'
import { decodeOssecAlert } from './ossec-alert.js'
import { decodePf } from './pf.js'
import type { Plugin } from './plugin.js'
import { decodeSonicWall } from './sonicwall.js'
import { decodeSymantecWs } from './symantec-ws.js'

/** The built-in extractors by the name that `<plugin_decoder>` uses. */
export const PLUGIN_TABLE: Readonly<Record<PluginName, Plugin>> = {
  PF_Decoder: decodePf,
  SymantecWS_Decoder: decodeSymantecWs,
  SonicWall_Decoder: decodeSonicWall,
  OSSECAlert_Decoder: decodeOssecAlert,
  JSON_Decoder: decodeJson,
}
