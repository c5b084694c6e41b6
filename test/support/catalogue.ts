import { projectApp, type TestApp } from './app.ts'

// Tests of the music catalogue import from here, so that npm run init removes them with the demo.

export { buildApp, startApp } from './app.ts'

/** Returns the application with the music catalogue and all its plugins; one per process. */
export function catalogue(): Promise<TestApp> {
  return projectApp()
}

/** The ids of the albums that every caller sees. */
export const publicAlbums: readonly string[] = ['1', '2']
