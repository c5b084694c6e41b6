// Tests that start the music catalogue in a process of its own import from here, so that npm run init removes them too.

export { launch, startService } from './service.ts'
