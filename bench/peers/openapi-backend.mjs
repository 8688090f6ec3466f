// openapi-backend behind node:http, as its README shows: requests are validated, answers are examples of the document.
import { createServer } from 'node:http';
import { OpenAPIBackend } from 'openapi-backend';

const [, , definition, port] = process.argv;

const api = new OpenAPIBackend({ definition, quick: true });
api.register({
  validationFail: (context, _request, response) => send(response, 400, { errors: context.validation.errors }),
  notFound: (_context, _request, response) => send(response, 404, { error: 'not found' }),
  unauthorizedHandler: (_context, _request, response) => send(response, 401, { error: 'unauthorized' }),
  notImplemented: (context, _request, response) => {
    const { status, mock } = api.mockResponseForOperation(context.operation.operationId);
    return send(response, status, mock);
  },
});
for (const name of Object.keys((await api.init()).definition.components?.securitySchemes ?? {})) {
  api.registerSecurityHandler(name, (context) => context.request.headers['authorization'] !== undefined);
}

createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const text = Buffer.concat(chunks).toString();
    const { method, url, headers } = request;
    const [path, query] = url.split('?');
    const body = text === '' ? undefined : JSON.parse(text);
    api.handleRequest({ method, path, query, headers, body }, request, response).catch((error) => {
      send(response, 500, { error: String(error) });
    });
  });
}).listen(Number(port), '127.0.0.1');

function send(response, status, body) {
  const text = JSON.stringify(body ?? null);
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
  response.end(text);
}
