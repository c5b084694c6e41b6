import type { Route, Server } from '#kernel/plugin'
import { offersVersions, versionsProfile, versionsUrn } from './profile.ts'

/** A page on the default server that describes the profile. Resources of a type `profiles` have precedence. */
export function profileRoutes(server: Server): Route[] {
  if (server.name !== 'default' || !offersVersions(server) || server.typesBySegment.has('profiles')) return []
  return [
    {
      name: 'jsonapi.profiles.versions',
      methods: ['GET', 'HEAD'],
      path: '/profiles/versions',
      title: 'Profile "versions"',
      handle(ctx) {
        ctx.type = 'html'
        ctx.body = page
        return undefined
      },
    },
  ]
}

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Profile "versions"</title>
<link rel="icon" href="data:,">
<style>
:root { color-scheme: light dark }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 48rem; margin: 2rem auto; padding: 0 1rem; overflow-wrap: anywhere }
code { font: 0.9em ui-monospace, monospace }
</style>
</head>
<body>
<main>
<h1>Profile "versions"</h1>
<p>A <a href="https://jsonapi.org/format/1.1/#profiles">profile</a> of JSON:API for optimistic locking in documents.</p>
<p>URI: <code>${versionsProfile}</code>. The URI is the name of the profile, not its address. The former URI
<code>${versionsUrn}</code> is accepted, too; a response names the one that the client has sent.</p>
<h2>Responses</h2>
<p>If <code>Accept</code> names the profile, every resource object, included ones too, has <code>meta.version</code>, and a
relationship document has it at the top level. It is an opaque string that changes with the stored resource or linkage. A
resource without a version has no such member.</p>
<h2>Requests</h2>
<p>If <code>Accept</code> or <code>Content-Type</code> names the profile, <code>data.meta.version</code> of a resource that is
updated and <code>meta.version</code> of a relationship document have the meaning of <code>If-Match</code>: the write is
refused with 412 <code>PRECONDITION_FAILED</code> if the stored version is another. In a batch,
<code>data.meta.version</code> or <code>ref.meta.version</code> belongs to its operation, and a refusal rolls the batch
back.</p>
</main>
</body>
</html>
`
