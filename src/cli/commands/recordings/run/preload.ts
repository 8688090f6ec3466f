/**
 * The program that each Node.js process of the command runs first: it lets `node:http`, `node:https` and `fetch` connect through the proxy
 * of `VOUCH_PROXY`, which Node.js 20 and 22 do not do by themselves. CommonJS, without imports of this package.
 */
export const PRELOAD: string = String.raw`'use strict';
const proxy = process.env.VOUCH_PROXY && new URL(process.env.VOUCH_PROXY);
if (proxy) {
  const net = require('node:net');
  const tls = require('node:tls');
  const credential = Buffer.from(proxy.username + ':' + proxy.password).toString('base64');
  const plainConnect = net.connect;
  const open = (host, port, done) => {
    const socket = plainConnect(Number(proxy.port), proxy.hostname);
    const authority = (host.includes(':') ? '[' + host + ']' : host) + ':' + port;
    const fail = (error) => done(error);
    socket.once('error', fail);
    socket.write('CONNECT ' + authority + ' HTTP/1.1\r\nhost: ' + authority + '\r\nproxy-authorization: Basic ' + credential + '\r\n\r\n');
    let text = '';
    const read = (chunk) => {
      text += chunk.toString('latin1');
      const end = text.indexOf('\r\n\r\n');
      if (end < 0) return;
      socket.off('data', read);
      socket.off('error', fail);
      socket.pause();
      if (!/^HTTP\/1\.1 200/.test(text)) return done(new Error('the proxy of vouch answered ' + text.split('\r\n')[0]));
      const rest = Buffer.from(text.slice(end + 4), 'latin1');
      if (rest.length > 0) socket.unshift(rest);
      done(null, socket);
    };
    socket.on('data', read);
  };
  const connectThrough = (options, isSecure, done) => {
    const host = options.host || options.hostname || 'localhost';
    open(host, options.port || (isSecure ? 443 : 80), (error, socket) => {
      if (error) return done(error);
      if (!isSecure) {
        socket.resume();
        return done(null, socket);
      }
      const servername = options.servername || (net.isIP(host) ? undefined : host);
      const secured = tls.connect({ ...options, socket, servername, path: undefined });
      secured.once('secureConnect', () => done(null, secured));
      secured.once('error', done);
    });
  };
  for (const [name, isSecure] of [['node:http', false], ['node:https', true]]) {
    const { Agent } = require(name);
    const own = Agent.prototype.createConnection;
    Agent.prototype.createConnection = function createConnection(options, done) {
      if (options.socketPath || typeof done !== 'function') return own.call(this, options, done);
      connectThrough(options, isSecure, done);
      return undefined;
    };
  }
  const key = Symbol.for('undici.globalDispatcher.1');
  // It exists once fetch was called.
  if (typeof fetch === 'function') fetch('data:,').catch(() => undefined);
  const dispatcher = globalThis[key];
  if (dispatcher) {
    const connect = (options, done) => {
      const isSecure = options.protocol === 'https:';
      const host = options.hostname.replace(/^\[|\]$/g, '');
      connectThrough({ host, port: options.port, servername: options.servername }, isSecure, done);
    };
    globalThis[key] = new dispatcher.constructor({ connect });
  }
}
`;
