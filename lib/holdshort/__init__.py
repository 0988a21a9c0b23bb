"""Keeps parallel AI coding agents off each other's files."""
