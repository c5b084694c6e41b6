import { developmentHints, type Plugin, type Reply, type Server } from '#kernel/plugin'
import { routeName } from '#routes'
import { prefersPage, respondWithDocumentPage } from './document-page.ts'
import { buildHomeLinks, buildRoot, pathOfHome } from './links.ts'
import { describeNotFound } from './not-found.ts'
import { respondWithPage } from './respond.ts'

export interface HomeOptions {
  /** The name of the API. */
  readonly title?: string
  readonly version?: string
}

/**
 * A page at `/` with links to the resource types, the documentation and the health checks, as HTML or JSON. Every other
 * server has a page at its prefix, behind its middleware: a client that the server rejects does not see its types. Browsers
 * get JSON:API documents as pages, too.
 */
export function home({ title = 'JSON:API', version = '1.0.0' }: HomeOptions = {}): Plugin {
  return {
    name: 'home',

    /** Names the page in the text of 404 responses that are not error documents. */
    middleware({ servers }) {
      const server = servers.find(isDefault)
      return server && !server.mountManually ? describeNotFound(`${buildRoot(server, server.baseUri)}/`) : null
    },

    /** The page of a document has no ETag: the condition of the request is about another representation. */
    onRoute({ ctx, plain }) {
      if (!plain && ctx.headers.accept && prefersPage(ctx)) delete ctx.headers['if-none-match']
    },

    plan: ({ respond }) => void respond.push(showPage),

    routes: (server) => [
      {
        name: routeName(server, 'home'),
        methods: ['GET', 'HEAD'],
        path: pathOfHome(server),
        isAbsolute: true,
        handle(ctx, request) {
          const hints = developmentHints(request.app)
          return respondWithPage(ctx, { title, version, ...buildHomeLinks(request), hints })
        },
      },
    ],
  }
}

function isDefault({ name }: Server): boolean {
  return name === 'default'
}

/** Browsers get a page with the document. */
function showPage({ ctx }: Reply): void {
  if (ctx.headers.accept && prefersPage(ctx)) respondWithDocumentPage(ctx)
}
