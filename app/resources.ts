import { relative } from 'node:path'
import { type Discovery, loadDeclarations } from '#discovery'
import type { Resource } from '#kernel'
import type { DeclaredResource } from '#kernel/plugin'

/** The declarations found in `resources/`, each with its file. */
export async function declaredResources(discovery: Discovery): Promise<DeclaredResource[]> {
  const declarations = await loadDeclarations(discovery)
  return declarations.map(({ file, declaration, actions }) => ({
    file: relative(discovery.root, file),
    resource: withActions(declaration as Resource, actions),
  }))
}

type DeclareActions = (builders: unknown) => readonly unknown[]

/** Adds actions that have files of their own to those of the declaration. */
function withActions(resource: Resource, files: ReadonlyMap<string, unknown>): Resource {
  if (files.size === 0) return resource
  const { actions: declared } = resource.declaration as { actions?: DeclareActions }
  const fromFiles = [...files].map(([name, action]) => ({ ...(action as object), name }))
  const actions: DeclareActions = (builders) => [...(declared?.(builders) ?? []), ...fromFiles]
  return { ...resource, declaration: { ...resource.declaration, actions } as Resource['declaration'] }
}
