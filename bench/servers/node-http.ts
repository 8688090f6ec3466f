// The lower bound: plain node:http. It routes, reads the body, validates one field and writes a response.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readAnswers } from './answers.js';

const answers = readAnswers();

const server = createServer((request, response) => {
  const url = request.url ?? '';
  if (request.method === 'POST') readBody(request, (body) => create(response, body));
  else if (request.method === 'DELETE') send(response, 200, answers.delete);
  else if (url.startsWith('/v1/files/')) send(response, 200, answers.content);
  else send(response, 200, answers.list);
});

function create(response: ServerResponse, body: string): void {
  const { name } = JSON.parse(body) as { readonly name: unknown };
  if (typeof name === 'string') send(response, 200, answers.create);
  else send(response, 400, answers['invalid create']);
}

function readBody(request: IncomingMessage, done: (body: string) => void): void {
  let body = '';
  request.setEncoding('utf8');
  request.on('data', (chunk: string) => (body += chunk));
  request.on('end', () => done(body));
}

function send(response: ServerResponse, status: number, body: unknown): void {
  const text = JSON.stringify(body);
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
  response.end(text);
}

server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
