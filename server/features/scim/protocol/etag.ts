/** Entity tags of resources (RFC 7644, 3.14), which are weak: two representations of one version may differ, because of `attributes`. */

/** The tag of a version, as in `ETag`: the value of `meta.version`. @param etag without quotes */
export function weakEtag(etag: string): string {
  return `W/"${etag}"`
}
