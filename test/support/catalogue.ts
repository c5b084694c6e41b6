import { projectApp, type TestApp } from './app.ts'

// Whoever tests over the music catalogue imports from here, and goes with it when the demo is removed.

export { buildApp, startApp } from './app.ts'
export { launch, startService } from './service.ts'

/** The music catalogue with all its plugins, one per process. */
export function catalogue(): Promise<TestApp> {
  return projectApp()
}

/** The albums that everybody sees, by id. */
export const publicAlbums: readonly string[] = ['1', '2']
