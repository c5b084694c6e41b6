import { relative } from 'node:path'
import { type Discovery, loadDeclarations } from '#discovery'
import type { Resource } from '#kernel'
import type { DeclaredResource } from '#kernel/plugin'

/** The declarations found in `resources/`, each with its file. */
export async function declaredResources(discovery: Discovery): Promise<DeclaredResource[]> {
  const declarations = await loadDeclarations(discovery)
  return declarations.map(({ file, declaration }) => ({
    file: relative(discovery.root, file),
    resource: declaration as Resource,
  }))
}
